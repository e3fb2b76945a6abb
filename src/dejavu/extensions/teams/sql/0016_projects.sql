-- Projects above folders: rights, retention and holds by project. Adds only: programs of schema 7 to 15 read and
-- write as before.
--
-- A row of `dejavu_workspaces` is one of three things: a project (`is_project`), a folder (`part_of` is null), or a
-- folder in a project, which conversations of that project are in. Two projects in one folder, as /workspace of
-- containers, are two rows. Rights, retention and holds are given in projects and folders, and found by these columns:
-- `follows`, the rows whose rights hold in it, and `within`, the rows whose retention and holds cover it.

alter table dejavu_workspaces add column if not exists is_project boolean not null default false,
  add column if not exists part_of int references dejavu_workspaces,
  add column if not exists closed boolean not null default false,
  add column if not exists follows int[] not null default '{}',
  add column if not exists within int[] not null default '{}';
drop index if exists dejavu_workspaces_name;
create unique index if not exists dejavu_workspaces_one
  on dejavu_workspaces (md5(name), is_project, coalesce(part_of, 0));

alter table dejavu_members add column if not exists login oid;
comment on column dejavu_members.login is
  'The login as the server numbers it: a later one of the same name has none of these rights.';
update dejavu_members set login = to_regrole(quote_ident(role)) where login is null;

create table if not exists dejavu_settings (name text primary key, value text not null);
comment on table dejavu_settings is 'What the archive''s owners decided: closed, whether new projects are private.';

create or replace function dejavu_is_closed() returns boolean
language sql stable set search_path from current as $$
  select exists (select from dejavu_settings where name = 'closed' and value = 'true')
$$;
revoke execute on function dejavu_is_closed() from public;

-- The projects that a name is of or within, the nearest first: of `a/b/c` those called so, `a/b` and `a`.
create or replace function dejavu_projects_of(told text) returns int[]
language sql stable set search_path from current as $$
  select coalesce(array_agg(w.id order by length(w.name) desc, w.id), '{}')
    from dejavu_workspaces w
   where w.is_project and length(told) <= 600 and md5(w.name) = any (array(
           select md5(array_to_string(parts[1:n], '/'))
             from string_to_array(told, '/') as parts, generate_series(1, cardinality(parts)) as n))
$$;
revoke execute on function dejavu_projects_of(text) from public;

-- The nearest project or folder that is private itself and holds this folder. A project comes before a folder.
create or replace function dejavu_private_above(name text, but int) returns int
language sql stable set search_path from current as $$
  select w.id from dejavu_workspaces w
   where w.private and w.inside is null and not w.is_project and w.id is distinct from but
     and starts_with(dejavu_folder(dejavu_private_above.name), dejavu_folder(w.name))
   order by length(dejavu_folder(w.name)) desc, w.id limit 1
$$;

create or replace function dejavu_anchor(it dejavu_workspaces) returns int
language plpgsql stable set search_path from current as $$
declare
  above int;
begin
  select w.id into above from unnest(dejavu_projects_of(coalesce(it.project, it.name))) with ordinality as p (id, rank)
    join dejavu_workspaces w using (id)
   where w.private and w.inside is null and w.id <> it.id order by rank limit 1;
  if above is null and it.part_of is not null then
    select w.id into above from dejavu_workspaces w
     where w.id = it.part_of and w.private and w.inside is null;
  end if;
  if above is null and not it.is_project then above := dejavu_private_above(it.name, it.id); end if;
  return above;
end $$;
revoke execute on function dejavu_anchor(dejavu_workspaces) from public;

-- What a row's columns have to be.
create or replace function dejavu_placed(
  it dejavu_workspaces, out hidden boolean, out above int, out sees int[], out covered int[]
) language plpgsql stable set search_path from current as $$
declare
  projects int[] := array_remove(dejavu_projects_of(coalesce(it.project, it.name)), it.id);
  folder int;
  own boolean := it.private and it.inside is null;
begin
  if it.part_of is not null then
    projects := case when it.part_of = any (projects) then projects else it.part_of || projects end;
    select id into folder from dejavu_workspaces w
     where md5(w.name) = md5(it.name) and not w.is_project and w.part_of is null;
  end if;
  covered := array_remove(folder || projects, null);
  if own then
    hidden := true;
    sees := '{}';
    return;
  end if;
  above := dejavu_anchor(it);
  hidden := above is not null;
  sees := case when not hidden then covered
    when above = any (projects) then projects[1:array_position(projects, above)]
    else array_remove(array[folder, above], null) end;
end $$;
revoke execute on function dejavu_placed(dejavu_workspaces) from public;

-- Bring the columns up: of every row, or of those that are called so or are within the project of this name. With
-- the keeper's rights. `private` in a statement of its own: it takes the turns and parts along.
create or replace function dejavu_place_workspaces(wanted text) returns void
language plpgsql set search_path from current as $$
begin
  update dejavu_workspaces w set private = x.hidden, inside = x.above
    from (select o.id, p.* from dejavu_workspaces o, lateral dejavu_placed(o) p
           where wanted is null or o.name = wanted or o.project = wanted or starts_with(o.project, wanted || '/')) x
   where w.id = x.id and w.private <> x.hidden;
  update dejavu_workspaces w set inside = x.above, follows = x.sees, within = x.covered
    from (select o.id, p.* from dejavu_workspaces o, lateral dejavu_placed(o) p
           where wanted is null or o.name = wanted or o.project = wanted or starts_with(o.project, wanted || '/')) x
   where w.id = x.id and (w.inside is distinct from x.above or w.follows <> x.sees or w.within <> x.covered);
end $$;
revoke execute on function dejavu_place_workspaces(text) from public;

create or replace function dejavu_place_workspaces() returns void
language sql set search_path from current as $$ select dejavu_place_workspaces(null) $$;

create or replace function dejavu_rank(who name, place int) returns int
language plpgsql stable security definer set search_path from current as $$
declare
  at record;
begin
  if dejavu_is_owner(who) then return 4; end if;
  if not pg_has_role(session_user, who, 'MEMBER') then return 0; end if;
  select w.private, w.follows into at from dejavu_workspaces w where w.id = place;
  return coalesce((
    select max(m.rank) from dejavu_members m
     where (place is null or m.workspace = place or m.workspace = any (at.follows)
            or not coalesce(at.private, false) and m.workspace is null)
       and (m.role = who or pg_has_role(who, to_regrole(quote_ident(m.role)), 'MEMBER'))), 0);
end $$;

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
    return array(select w.id from dejavu_workspaces w
                  where not w.private or w.id = any (mine) or w.follows && mine);
  end if;
  return array(select w.id from dejavu_workspaces w where w.id = any (mine) or w.follows && mine);
end $$;

-- Whether a member decides about a place as its owner: over what is closed by default the archive's owners do.
create or replace function dejavu_decides(who name, place int) returns boolean
language plpgsql stable security definer set search_path from current as $$
begin
  return dejavu_rank(who, place) >= 4 or dejavu_rank(who, 0) >= 4 and exists (
    select from dejavu_workspaces w join dejavu_workspaces o on o.id = coalesce(w.inside, w.id)
     where w.id = place and o.closed);
end $$;

-- A project's row, made where it is new; where new projects are private, its first writer may write there.
create or replace function dejavu_project(told text) returns int
language plpgsql set search_path from current as $$
declare
  found int;
begin
  select id into found from dejavu_workspaces where md5(name) = md5(told) and is_project;
  if found is not null then return found; end if;
  insert into dejavu_workspaces (name, project, is_project) values (told, told, true)
    on conflict do nothing returning id into found;
  if found is null then  -- another was faster
    return (select id from dejavu_workspaces where md5(name) = md5(told) and is_project);
  end if;
  perform dejavu_place_workspaces(told);
  if dejavu_is_closed() and not dejavu_is_owner(session_user)
     and not (select private from dejavu_workspaces where id = found) then
    if dejavu_rank(session_user, 0) >= 2 then
      insert into dejavu_members (role, workspace, rank, by, login)
        values (session_user, found, 2, session_user, to_regrole(quote_ident(session_user)));
    end if;
    update dejavu_workspaces set private = true, closed = true where id = found;
    perform dejavu_place_workspaces(told);
  end if;
  return found;
end $$;
revoke execute on function dejavu_project(text) from public;

create or replace function dejavu_refuse_place(wanted text) returns void
language plpgsql set search_path from current as $$
begin
  raise exception '% may not make the workspace %', session_user, wanted using errcode = 'insufficient_privilege',
    hint = 'a private project takes a right in it: an owner of it gives one with `dejavu team grant`';
end $$;
revoke execute on function dejavu_refuse_place(text) from public;

-- The number of a folder in which conversations of no project are held, made where it is new. Where new projects are
-- private, such conversations are in a project of their member alone.
create or replace function dejavu_workspace(wanted text) returns int
language plpgsql security definer set search_path from current as $$
declare
  found int;
  own int;
begin
  select id into found from dejavu_workspaces
   where md5(name) = md5(wanted) and not is_project and part_of is null and dejavu_rank(session_user, id) > 0;
  if found is not null then return found; end if;
  if dejavu_is_closed() and not dejavu_is_owner(session_user) and dejavu_rank(session_user, 0) >= 2 then
    own := dejavu_project('~' || session_user);
  end if;
  insert into dejavu_workspaces (name, part_of) values (wanted, own) on conflict do nothing;
  perform dejavu_place_workspaces(wanted);
  select id into found from dejavu_workspaces
   where md5(name) = md5(wanted) and not is_project and part_of is not distinct from own
     and dejavu_rank(session_user, id) > (own is null)::int;
  if found is null then perform dejavu_refuse_place(wanted); end if;
  return found;
end $$;

-- The number of a folder in a project.
create or replace function dejavu_workspace(wanted text, told text) returns int
language plpgsql security definer set search_path from current as $$
declare
  found int;
begin
  if coalesce(told, '') = '' or length(told) > 600 or starts_with(told, '~') then return dejavu_workspace(wanted); end if;
  select id into found from dejavu_workspaces
   where md5(name) = md5(wanted) and project = told and part_of is not null and dejavu_rank(session_user, id) > 0;
  if found is null then
    insert into dejavu_workspaces (name, project, part_of) values (wanted, told, dejavu_project(told))
      on conflict do nothing;
    perform dejavu_place_workspaces(wanted);
    select id into found from dejavu_workspaces
     where md5(name) = md5(wanted) and project = told and part_of is not null and dejavu_rank(session_user, id) >= 2;
  end if;
  if found is null then perform dejavu_refuse_place(told); end if;
  return found;
end $$;

-- A project or a folder by its name, made where it is new: what begins like a path is a folder. A repository without
-- a remote is a project that is called by its path. Of the two, the one that is private itself is meant.
create or replace function dejavu_named_place(wanted text) returns int
language plpgsql set search_path from current as $$
declare
  found int;
  folder boolean := wanted ~ '^(~?[/\\]|[A-Za-z]:)';
begin
  select id into found from dejavu_workspaces
   where md5(name) = md5(wanted) and part_of is null
   order by private and inside is null desc, is_project desc limit 1;
  if found is null and folder then
    insert into dejavu_workspaces (name) values (wanted) on conflict do nothing;
    perform dejavu_place_workspaces(wanted);
    select id into found from dejavu_workspaces
     where md5(name) = md5(wanted) and not is_project and part_of is null;
  end if;
  return coalesce(found, dejavu_project(wanted));
end $$;
revoke execute on function dejavu_named_place(text) from public;

-- What a program says of a place is its folder, and of programs up to schema 15 no more; the conversation's project
-- says which row of that folder it is in. What is held stays where it is, and so does what only continues.
create or replace function dejavu_at_project() returns trigger
language plpgsql security definer set search_path from current as $$
declare
  it dejavu_workspaces;
  held boolean := false;
begin
  if tg_op = 'UPDATE' and new.workspace = old.workspace and new.project is not distinct from old.project then
    return new;
  end if;
  select * into it from dejavu_workspaces where id = new.workspace;
  if not found then return new; end if;
  if tg_op = 'UPDATE' and it.name = (select name from dejavu_workspaces where id = old.workspace) then
    if new.project is distinct from old.project and to_regclass('dejavu_holds') is not null then
      execute 'select dejavu_hold_reason($1, null) is not null' into held using old.number;
    end if;
    if held or new.project is not distinct from old.project then
      new.workspace := old.workspace;
      return new;
    end if;
  end if;
  if new.project is distinct from it.project then
    new.workspace := dejavu_workspace(it.name, new.project);
  end if;
  return new;
end $$;
revoke execute on function dejavu_at_project() from public;

create or replace function dejavu_place_record() returns trigger
language plpgsql security definer set search_path from current as $$
begin
  new.workspace := dejavu_place_of_key(new.key);
  new.writer := case when new.workspace is null and get_byte(new.key, 0) in (72, 76, 78, 79, 84)
    then dejavu_caller() end;
  return new;
end $$;

-- The project that a summary tells, for programs up to schema 15, which tell it nowhere else.
create or replace function dejavu_tell_project() returns trigger
language plpgsql security definer set search_path from current as $$
declare
  told text := dejavu_project_of(new.value);
begin
  if current_setting('dejavu.program', true) ~ '^(1[6-9]|[2-9]\d)$' then return null; end if;
  update dejavu_conversations set project = told
   where id = encode(substring(new.key from 2), 'escape') and project is distinct from told;
  return null;
end $$;
revoke execute on function dejavu_tell_project() from public;
drop trigger if exists dejavu_tell_project on dejavu_records;
create trigger dejavu_tell_project after insert or update of key, value on dejavu_records
  for each row when (get_byte(new.key, 0) = 72) execute function dejavu_tell_project();

-- The archive as it is. A folder whose conversations are of one project becomes a folder of it, with those from before
-- projects were told; nothing moves but where a folder has several. Rights, retention and holds of a folder stay its
-- own: they go to a row of the folder alone, which covers what it covered.
drop trigger if exists dejavu_at_project on dejavu_conversations;
do $$
declare
  one text;
begin
  insert into dejavu_workspaces (name, project, is_project)
    select distinct c.project, c.project, true from dejavu_conversations c
     where c.project <> '' and length(c.project) <= 600
    on conflict do nothing;
  create temporary table dejavu_main on commit drop as
    select w.id, w.name, w.private and w.inside is null as own, m.told, m.alone, p.id as project
      from dejavu_workspaces w,
      lateral (select c.project as told, count(*) over () = 1 as alone from dejavu_conversations c
                where c.workspace = w.id and c.project <> '' and length(c.project) <= 600
                group by c.project order by count(*) desc, c.project limit 1) m
      join dejavu_workspaces p on p.is_project and p.name = m.told
     where not w.is_project and w.part_of is null;
  update dejavu_workspaces w set part_of = m.project, project = m.told from pg_temp.dejavu_main m where w.id = m.id;
  insert into dejavu_workspaces (name, private) select name, own from pg_temp.dejavu_main on conflict do nothing;
  foreach one in array array['dejavu_members', 'dejavu_holds', 'dejavu_retention'] loop
    if to_regclass(one) is not null then
      execute format('alter table %I disable trigger user', one);
      execute format('update %I t set workspace = f.id from pg_temp.dejavu_main m
        join dejavu_workspaces f on md5(f.name) = md5(m.name) and not f.is_project and f.part_of is null
       where t.workspace = m.id', one);
      execute format('alter table %I enable trigger user', one);
    end if;
  end loop;
  update dejavu_workspaces w set inside = f.id from pg_temp.dejavu_main m
    join dejavu_workspaces f on md5(f.name) = md5(m.name) and not f.is_project and f.part_of is null
   where w.inside = m.id or w.id = m.id and m.own;
  update dejavu_workspaces set project = null where not is_project and part_of is null and project is not null;
  -- A folder of several projects: the others get rows of their own.
  insert into dejavu_workspaces (name, project, part_of, private, inside)
    select distinct w.name, c.project, p.id, w.private, w.inside
      from dejavu_conversations c join dejavu_workspaces w on w.id = c.workspace
      join dejavu_workspaces p on p.is_project and p.name = c.project
     where c.project is distinct from w.project
    on conflict do nothing;
  if exists (select from pg_trigger where tgname = 'dejavu_hold' and tgrelid = 'dejavu_conversations'::regclass) then
    alter table dejavu_conversations disable trigger dejavu_hold;
  end if;
  update dejavu_conversations c set workspace = o.id
    from dejavu_workspaces w, dejavu_workspaces o
   where w.id = c.workspace and w.project is distinct from c.project and md5(o.name) = md5(w.name) and not o.is_project
     and (o.project = c.project and o.part_of is not null
          or c.project is null and o.part_of is null and exists (
            select from pg_temp.dejavu_main m where m.id = w.id and not m.alone));
  if exists (select from pg_trigger where tgname = 'dejavu_hold' and tgrelid = 'dejavu_conversations'::regclass) then
    alter table dejavu_conversations enable trigger dejavu_hold;
  end if;
  drop table pg_temp.dejavu_main;
end $$;
drop trigger if exists dejavu_moved on dejavu_conversations;
create trigger dejavu_moved after update of workspace, project on dejavu_conversations
  for each row when (old.workspace <> new.workspace) execute function dejavu_moved();
create trigger dejavu_at_project before insert or update of workspace, project on dejavu_conversations
  for each row execute function dejavu_at_project();
select dejavu_place_workspaces();
