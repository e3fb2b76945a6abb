-- What the records say, as relations that SQL can read. Written in the transaction of the records.

create table if not exists dejavu_migrations (
  number int primary key, at timestamptz not null default now(), by name not null default current_user
);

create table if not exists dejavu_workspaces (
  id int generated always as identity primary key,
  name text not null,
  private boolean not null default false
);
create unique index if not exists dejavu_workspaces_name on dejavu_workspaces (md5(name));

-- owner: the role whose machine or container it is; null where nobody said so.
create table if not exists dejavu_instances (
  id int generated always as identity primary key,
  name text not null,
  owner name
);
create unique index if not exists dejavu_instances_name on dejavu_instances (md5(name));

-- Who may do what: workspace null is every workspace that is not private.
create table if not exists dejavu_members (
  role name not null,
  workspace int references dejavu_workspaces,
  rank int not null check (rank between 1 and 4),
  at timestamptz not null default now(),
  by name not null default current_user
);
create unique index if not exists dejavu_members_one on dejavu_members (role, coalesce(workspace, 0));

create table if not exists dejavu_conversations (
  number bigint primary key,
  id text collate "C" not null unique,
  workspace int not null,
  instance int not null,
  agent text not null,
  native_id text not null,
  title text not null,
  prompt text not null,
  started_at timestamptz,
  ended_at timestamptz,
  captured_at timestamptz,
  first_seq int not null,
  turn_count int not null,
  vectors text[] not null,
  parent text,
  relation text,
  source text,
  agent_version text
);
create index if not exists dejavu_conversations_ended
  on dejavu_conversations (coalesce(ended_at, started_at, captured_at));
create index if not exists dejavu_conversations_workspace on dejavu_conversations (workspace);
create index if not exists dejavu_conversations_session
  on dejavu_conversations (agent, md5(native_id));

create table if not exists dejavu_turns (
  conversation bigint not null,
  seq int not null,
  month date not null,
  workspace int not null,
  at timestamptz,
  role text not null,
  vector text not null,
  model text,
  usage jsonb,
  native_id text,
  parent text,
  primary key (conversation, seq, month)
) partition by range (month);

-- content: the first 65,536 characters of text; length: of how many.
create table if not exists dejavu_parts (
  conversation bigint not null,
  seq int not null,
  part int not null,
  month date not null,
  workspace int not null,
  type text not null,
  name text,
  call text,
  content text,
  length int not null,
  primary key (conversation, seq, part, month)
) partition by range (month);

create table if not exists dejavu_sources (
  number bigint primary key,
  hash bytea not null unique,
  name text not null,
  generation int not null,
  length bigint not null,
  workspace int,
  instance int
);

create table if not exists dejavu_links (
  source bigint not null,
  conversation text collate "C" not null,
  primary key (source, conversation)
);
create index if not exists dejavu_links_conversation on dejavu_links (conversation);

create table if not exists dejavu_notes (
  namespace text not null, key bytea not null, data jsonb, primary key (namespace, key)
);

create table if not exists dejavu_audit (
  number bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  login name not null default session_user,
  role name not null,
  action text not null,
  object text not null,
  workspace int,
  detail jsonb
);

-- A month's partitions; beside their parents they are attached, which no reader waits for.
create or replace function dejavu_partition(month date) returns void
language plpgsql security definer set search_path from current as $$
declare
  parent text;
  child text;
  first date := date_trunc('month', month)::date;
begin
  if dejavu_rank(session_user, null) < 2 then
    raise exception '% may not make partitions', session_user
      using errcode = 'insufficient_privilege';
  end if;
  if first not between '2000-01-01' and '2100-01-01' then
    raise exception 'no partition for %', first using errcode = 'check_violation';
  end if;
  foreach parent in array array['dejavu_turns', 'dejavu_parts'] loop
    child := parent || to_char(first, '_YYYY_MM');
    if to_regclass(child) is null
       and (select relkind from pg_class where oid = to_regclass(parent)) = 'p' then
      execute format('create table %I (like %I including defaults including constraints)',
                     child, parent);
      execute format('alter table %I attach partition %I for values from (%L) to (%L)',
                     parent, child, first, (first + interval '1 month')::date);
    end if;
  end loop;
end $$;

create or replace function dejavu_is_owner(who name) returns boolean
language sql stable set search_path from current as $$
  select pg_has_role(who, relowner, 'MEMBER') from pg_class
   where oid = 'dejavu_records'::regclass
$$;

-- 1 reader, 2 writer, 3 curator, 4 owner, 0 nothing. place is a workspace; 0: of every workspace
-- that is not private; null: the highest anywhere.
create or replace function dejavu_rank(who name, place int) returns int
language sql stable security definer set search_path from current as $$
  select case when dejavu_is_owner(who) then 4 else coalesce((
    select max(m.rank) from dejavu_members m join pg_roles r on r.rolname = m.role
     where pg_has_role(who, r.oid, 'MEMBER')
       and (m.workspace = place or place is null or m.workspace is null and not coalesce(
         (select w.private from dejavu_workspaces w where w.id = place), false))), 0) end
$$;

create or replace function dejavu_readable(who name) returns int[]
language sql stable security definer set search_path from current as $$
  select coalesce(array_agg(id), '{}') from dejavu_workspaces where dejavu_rank(who, id) > 0
$$;

-- The number of a workspace or an instance, made where it is new.
create or replace function dejavu_workspace(wanted text) returns int
language plpgsql security definer set search_path from current as $$
declare found int;
begin
  select id into found from dejavu_workspaces where md5(name) = md5(wanted);
  if found is null then
    if dejavu_rank(session_user, 0) < 2 then
      raise exception '% may not make workspaces', session_user
        using errcode = 'insufficient_privilege';
    end if;
    insert into dejavu_workspaces (name) values (wanted) on conflict do nothing;
    select id into found from dejavu_workspaces where md5(name) = md5(wanted);
  end if;
  return found;
end $$;

create or replace function dejavu_instance(wanted text, who name) returns int
language plpgsql security definer set search_path from current as $$
declare found int;
begin
  if not pg_has_role(session_user, who, 'MEMBER') then
    raise exception '% is not %', session_user, who using errcode = 'insufficient_privilege';
  end if;
  select id into found from dejavu_instances where md5(name) = md5(wanted);
  if found is null then
    if dejavu_rank(session_user, null) < 2 then
      raise exception '% may not make instances', session_user
        using errcode = 'insufficient_privilege';
    end if;
    insert into dejavu_instances (name, owner)
      values (wanted, case when dejavu_is_owner(who) then null else who end) on conflict do nothing;
    select id into found from dejavu_instances where md5(name) = md5(wanted);
  end if;
  return found;
end $$;

-- Sources lie where their conversations do; where one of those is private, there.
create or replace function dejavu_place_sources(wanted bigint[]) returns void
language sql security definer set search_path from current as $$
  update dejavu_sources s set workspace = x.workspace, instance = x.instance
    from (select l.source, (array_agg(c.workspace order by w.private desc, c.workspace))[1] workspace,
                 (array_agg(c.instance order by c.number))[1] instance
            from dejavu_links l
            join dejavu_conversations c on c.id = l.conversation
            join dejavu_workspaces w on w.id = c.workspace
           where l.source = any (wanted) group by l.source) x
   where s.number = x.source
     and (s.workspace is distinct from x.workspace or s.instance is distinct from x.instance)
$$;

create or replace function dejavu_linked() returns trigger
language plpgsql security definer set search_path from current as $$
begin
  perform dejavu_place_sources(array(select distinct source from fresh));
  return null;
end $$;
drop trigger if exists dejavu_linked on dejavu_links;
create trigger dejavu_linked after insert on dejavu_links
  referencing new table as fresh for each statement execute function dejavu_linked();

-- A conversation that moves takes its turns along.
create or replace function dejavu_moved() returns trigger
language plpgsql security definer set search_path from current as $$
begin
  perform dejavu_place_sources(array(select source from dejavu_links where conversation = new.id));
  update dejavu_turns set workspace = new.workspace where conversation = new.number;
  update dejavu_parts set workspace = new.workspace where conversation = new.number;
  return null;
end $$;
drop trigger if exists dejavu_moved on dejavu_conversations;
create trigger dejavu_moved after update of workspace on dejavu_conversations
  for each row when (old.workspace <> new.workspace) execute function dejavu_moved();

-- A program that knows nothing of these relations must not change what they are made from.
create or replace function dejavu_current() returns trigger
language plpgsql set search_path from current as $$
begin
  if coalesce(current_setting('dejavu.program', true), '') = '' then
    raise exception 'this archive is written by newer programs: update dejavu-capture'
      using errcode = 'object_not_in_prerequisite_state';
  end if;
  return null;
end $$;
drop trigger if exists dejavu_current on dejavu_records;
create trigger dejavu_current before insert or update or delete on dejavu_records
  for each statement execute function dejavu_current();
