-- Rights of what is inside: folders below a private workspace, and records of other parts that are about a source.

-- The private workspace that a workspace is inside of, and whose rights hold in it; null: none, or it is private itself.
alter table dejavu_workspaces add column if not exists inside int references dejavu_workspaces;
comment on column dejavu_workspaces.inside is 'The private workspace above, whose members have their rights here.';
create index if not exists dejavu_sources_name on dejavu_sources using hash (name);

-- A folder with one slash at its end; null where there is no folder.
create or replace function dejavu_folder(name text) returns text
language sql immutable strict parallel safe as $$
  select case when name <> '' then rtrim(translate(name, chr(92), '/'), '/') || '/' end
$$;

-- The nearest workspace that is private itself and holds this folder.
create or replace function dejavu_private_above(name text, but int) returns int
language sql stable set search_path from current as $$
  select w.id from dejavu_workspaces w
   where w.private and w.inside is null and w.id is distinct from but
     and starts_with(dejavu_folder(dejavu_private_above.name), dejavu_folder(w.name))
   order by length(dejavu_folder(w.name)) desc, w.id limit 1
$$;
revoke execute on function dejavu_private_above(text, int) from public;

-- Let every workspace that is not private itself follow the private one above it. With the keeper's rights.
create or replace function dejavu_place_workspaces() returns void
language sql set search_path from current as $$
  update dejavu_workspaces w set private = x.above is not null, inside = x.above
    from (select id, dejavu_private_above(name, id) as above from dejavu_workspaces
           where not private or inside is not null) x
   where w.id = x.id and (w.inside is distinct from x.above or w.private <> (x.above is not null))
$$;
revoke execute on function dejavu_place_workspaces() from public;

create or replace function dejavu_rank(who name, place int) returns int
language plpgsql stable security definer set search_path from current as $$
declare
  at record;
begin
  if dejavu_is_owner(who) then return 4; end if;
  if not pg_has_role(session_user, who, 'MEMBER') then return 0; end if;
  select w.private, w.inside into at from dejavu_workspaces w where w.id = place;
  return coalesce((
    select max(m.rank) from dejavu_members m
     where (place is null or m.workspace in (place, at.inside)
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
                  where not w.private or w.id = any (mine) or w.inside = any (mine));
  end if;
  return array(select w.id from dejavu_workspaces w where w.id = any (mine) or w.inside = any (mine));
end $$;

create or replace function dejavu_workspace(wanted text) returns int
language plpgsql security definer set search_path from current as $$
declare
  found int;
  above int;
begin
  select id into found from dejavu_workspaces
   where md5(name) = md5(wanted) and dejavu_rank(session_user, id) > 0;
  if found is null then
    above := dejavu_private_above(wanted, null);
    if dejavu_rank(session_user, coalesce(above, 0)) >= 2 then
      insert into dejavu_workspaces (name, private, inside) values (wanted, above is not null, above)
        on conflict do nothing;
      select id into found from dejavu_workspaces
       where md5(name) = md5(wanted) and dejavu_rank(session_user, id) > 0;
    end if;
  end if;
  if found is null then
    raise exception '% may not make the workspace %', session_user, wanted
      using errcode = 'insufficient_privilege';
  end if;
  return found;
end $$;

-- Bytes as text; null where they are none.
create or replace function dejavu_text(bytes bytea) returns text
language plpgsql immutable strict as $$
begin
  return convert_from(bytes, 'UTF8');
exception when character_not_in_repertoire or untranslatable_character then
  return null;
end $$;

-- What a record of another part is about: V, the part, NUL, a key. `source` and `conversation`: of this name, whose
-- rights it follows; `own`: of who wrote it; `instance`: for all to read, of its owner to change. Null: for all.
create or replace function dejavu_about(key bytea, out kind text, out name text)
language plpgsql immutable strict parallel safe set search_path from current as $$
declare
  gap int := position('\x00'::bytea in key);
  part text;
  first text;
begin
  if gap < 3 or get_byte(key, 0) <> 86 then return; end if;
  part := encode(substring(key from 2 for gap - 2), 'escape');
  name := encode(substring(key from gap + 1), 'escape');
  first := substring(name for 1);
  kind := case
    when part in ('sources', 'tellings') or part = 'secrets' and first = 'r' then 'source'
    when part = 'verdicts' or part = 'secrets' and first = 't' then 'conversation'
    when part = 'rationale' and length(key) > gap + 4 then 'conversation'
    when part in ('source_failures', 'long_records', 'classified') or part = 'injections' and first = 'a'
      then 'own'
    when part = 'machines' then 'instance' end;
  if part = 'secrets' then name := split_part(substring(name from 2), chr(92) || '000', 1); end if;
  if part = 'machines' then name := dejavu_text(substring(key from gap + 1)); end if;
  if kind = 'conversation' and part = 'rationale' then
    name := encode(substring(key from gap + 1 for length(key) - gap - 4), 'escape');
  end if;
end $$;

-- The owner of the instance that the record of a session log names; null where there is none. It is msgpack.
create or replace function dejavu_log_owner(stored bytea) returns name
language plpgsql stable set search_path from current as $$
declare
  label constant bytea := '\xa8'::bytea || convert_to('instance', 'UTF8');
  place int := position(label in stored) + length(label);
  size int;
begin
  if place = length(label) or place > length(stored) then return null; end if;
  size := get_byte(stored, place - 1);
  if size in (196, 217) and place < length(stored) then
    place := place + 1;
    size := get_byte(stored, place - 1);
  elsif size between 160 and 191 then size := size - 160;
  else return null;
  end if;
  return (select owner from dejavu_instances
           where md5(name) = md5(dejavu_text(substring(stored from place + 1 for size))));
end $$;
revoke execute on function dejavu_log_owner(bytea) from public;

-- Whose a record is that is about a source or its writer's own: who wrote it first, else whose machine it names.
create or replace function dejavu_record_owner(wanted bytea) returns name
language sql stable set search_path from current as $$
  select coalesce(writer, dejavu_log_owner(value)) from dejavu_records where key = wanted
$$;
revoke execute on function dejavu_record_owner(bytea) from public;

create or replace function dejavu_own_record() returns trigger
language plpgsql set search_path from current as $$
begin
  if (dejavu_about(new.key)).kind in ('source', 'own') then
    new.writer := coalesce(case when tg_op = 'UPDATE' then old.writer end, dejavu_caller());
  end if;
  return new;
end $$;
drop trigger if exists dejavu_place_own on dejavu_records;  -- after `dejavu_place`, by its name
create trigger dejavu_place_own before insert or update of key, value, workspace on dejavu_records
  for each row when (get_byte(new.key, 0) = 86) execute function dejavu_own_record();
comment on column dejavu_records.writer is
  'Who wrote it, where its conversation was not there, or where it is about a source or theirs alone.';
select dejavu_place_workspaces();
