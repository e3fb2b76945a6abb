-- No pattern of a caller reaches a row before its rights: not by errors, not by an index that private
-- text shares, not by the planner's order. Runs with the keeper's first command.

-- hidden: the workspace of the part is private. The text indexes leave such parts out, so what an
-- index costs says nothing about them; they are found by their workspace.
alter table dejavu_parts add column if not exists hidden boolean not null default false;
create index if not exists dejavu_parts_workspace on dejavu_parts (workspace);
do $$
begin
  if exists (select from pg_index where indexrelid = to_regclass('dejavu_parts_words')
              and indpred is null) then
    drop index dejavu_parts_words;
  end if;
  if exists (select from pg_index where indexrelid = to_regclass('dejavu_parts_trigrams')
              and indpred is null) then
    drop index dejavu_parts_trigrams;  -- `trigrams.sql` makes the new one
  end if;
end $$;
update dejavu_parts p set hidden = true from dejavu_workspaces w
 where w.id = p.workspace and w.private and not p.hidden;
create index if not exists dejavu_parts_words on dejavu_parts using gin (dejavu_words(content))
 where not hidden;

-- The planner's statistics of text are shown to every member by EXPLAIN: none are taken from here on.
alter table dejavu_parts alter column content set statistics 0, alter column name set statistics 0,
  alter column call set statistics 0;
alter table dejavu_conversations alter column title set statistics 0,
  alter column prompt set statistics 0, alter column native_id set statistics 0;
alter table dejavu_workspaces alter column name set statistics 0;
alter table dejavu_sources alter column name set statistics 0;

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
      if parent = 'dejavu_parts' then
        execute format('alter table %I alter column content set statistics 0, '
          'alter column name set statistics 0, alter column call set statistics 0', child);
      end if;
      execute format('alter table %I attach partition %I for values from (%L) to (%L)',
                     parent, child, first, (first + interval '1 month')::date);
    end if;
  end loop;
end $$;

-- 1 reader, 2 writer, 3 curator, 4 owner, 0 nothing. place is a workspace; 0: of every workspace
-- that is not private; null: the highest anywhere. Asked about another member it answers 0.
create or replace function dejavu_rank(who name, place int) returns int
language sql stable security definer set search_path from current as $$
  select case when dejavu_is_owner(who) then 4
    when not pg_has_role(session_user, who, 'MEMBER') then 0 else coalesce((
    select max(m.rank) from dejavu_members m join pg_roles r on r.rolname = m.role
     where pg_has_role(who, r.oid, 'MEMBER')
       and (m.workspace = place or place is null or m.workspace is null and not coalesce(
         (select w.private from dejavu_workspaces w where w.id = place), false))), 0) end
$$;

-- The workspaces that a member may read: one query over their rights, whatever the number of
-- workspaces. None where another member is asked about.
create or replace function dejavu_readable(who name) returns int[]
language sql stable security definer set search_path from current as $$
  with mine as materialized (
    select m.workspace from dejavu_members m join pg_roles r on r.rolname = m.role
     where pg_has_role(who, r.oid, 'MEMBER') and pg_has_role(session_user, who, 'MEMBER'))
  select coalesce(array_agg(w.id), '{}') from dejavu_workspaces w
   where (select dejavu_is_owner(who)) or w.id in (select workspace from mine)
      or not w.private and (select bool_or(workspace is null) from mine)
$$;

-- Of a workspace that a member may not see they learn no more than that it cannot be made.
create or replace function dejavu_workspace(wanted text) returns int
language plpgsql security definer set search_path from current as $$
declare found int;
begin
  select id into found from dejavu_workspaces
   where md5(name) = md5(wanted) and dejavu_rank(session_user, id) > 0;
  if found is null and dejavu_rank(session_user, 0) >= 2 then
    insert into dejavu_workspaces (name) values (wanted) on conflict do nothing;
    select id into found from dejavu_workspaces
     where md5(name) = md5(wanted) and dejavu_rank(session_user, id) > 0;
  end if;
  if found is null then
    raise exception '% may not make the workspace %', session_user, wanted
      using errcode = 'insufficient_privilege';
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
  if dejavu_rank(session_user, null) < 1 then
    raise exception '% may not make instances', session_user
      using errcode = 'insufficient_privilege';
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
revoke execute on function dejavu_place_sources(bigint[]) from public;
