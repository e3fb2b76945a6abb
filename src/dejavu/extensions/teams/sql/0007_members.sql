-- What a member costs, and what a writer needs. The functions that judge a member are PL/pgSQL: their
-- plans last as long as the connection, where SQL functions inside others are planned at every call.

create index if not exists dejavu_workspaces_private on dejavu_workspaces (id) where private;

create or replace function dejavu_is_owner(who name) returns boolean
language plpgsql stable set search_path from current as $$
begin
  return (select pg_has_role(who, relowner, 'MEMBER') from pg_class
           where oid = 'dejavu_records'::regclass);
end $$;

-- 1 reader, 2 writer, 3 curator, 4 owner, 0 nothing. place is a workspace; 0: of every workspace
-- that is not private; null: the highest anywhere. Asked about another member it answers 0.
create or replace function dejavu_rank(who name, place int) returns int
language plpgsql stable security definer set search_path from current as $$
declare
  shared boolean := place is null or not exists (
    select from dejavu_workspaces w where w.id = place and w.private);
begin
  if dejavu_is_owner(who) then return 4; end if;
  if not pg_has_role(session_user, who, 'MEMBER') then return 0; end if;
  return coalesce((
    select max(m.rank) from dejavu_members m
     where (place is null or m.workspace = place or shared and m.workspace is null)
       and (m.role = who or pg_has_role(who, to_regrole(quote_ident(m.role)), 'MEMBER'))), 0);
end $$;

-- Whether a member has at least this rank in a workspace. Their own right is looked at before those of
-- their groups. For functions with the keeper's rights, which see every member.
create or replace function dejavu_reaches(who name, place int, need int) returns boolean
language plpgsql stable set search_path from current as $$
begin
  return pg_has_role(session_user, who, 'MEMBER') and exists (
      select from dejavu_members m
       where m.role = who and m.rank >= need
         and (m.workspace = place or m.workspace is null and not exists (
              select from dejavu_workspaces w where w.id = place and w.private)))
    or dejavu_rank(who, place) >= need;
end $$;
revoke execute on function dejavu_reaches(name, int, int) from public;

-- The workspaces that a member may read; none where another member is asked about.
create or replace function dejavu_readable(who name) returns int[]
language plpgsql stable security definer set search_path from current as $$
declare
  owner boolean := dejavu_is_owner(who);
  mine int[];
begin
  if not owner then
    if not pg_has_role(session_user, who, 'MEMBER') then return '{}'; end if;
    mine := array(select coalesce(m.workspace, 0) from dejavu_members m
      where m.role = who or pg_has_role(who, to_regrole(quote_ident(m.role)), 'MEMBER'));
  end if;
  if owner then
    return array(select w.id from dejavu_workspaces w);
  elsif 0 = any (mine) then
    return array(select w.id from dejavu_workspaces w where not w.private or w.id = any (mine));
  end if;
  return array(select w.id from dejavu_workspaces w where w.id = any (mine));
end $$;

-- Who calls: inside a function with the keeper's rights current_user is the keeper.
create or replace function dejavu_caller() returns name language sql stable as $$
  select coalesce(nullif(current_setting('role'), 'none')::name, session_user)
$$;

-- Deleting, for those who hold no DELETE on the tables: whoever does may lock them against everyone.
-- `rights.sql` puts others in their place, which judge the caller.
create or replace function dejavu_delete_records(keys bytea[]) returns void
language sql set search_path from current as $$
  delete from dejavu_records where key = any (keys)
$$;

create or replace function dejavu_delete_turns(conversations bigint[], seqs int[]) returns void
language sql set search_path from current as $$
  delete from dejavu_turns t using unnest(conversations, seqs) as gone (conversation, seq)
   where t.conversation = gone.conversation and t.seq = gone.seq;
  delete from dejavu_parts p using unnest(conversations, seqs) as gone (conversation, seq)
   where p.conversation = gone.conversation and p.seq = gone.seq
$$;

create or replace function dejavu_delete_notes(keys bytea[]) returns void
language sql set search_path from current as $$
  delete from dejavu_notes where namespace = 'memories' and key = any (keys)
$$;

-- The note of a session that is over; null: those of sessions that no one can still be waiting for.
create or replace function dejavu_forget_commits(over uuid) returns bigint
language sql set search_path from current as $$
  with gone as (
    delete from dejavu_commits
     where case when over is null then at < now() - interval '1 day' else session = over end
    returning 1)
  select count(*) from gone
$$;
