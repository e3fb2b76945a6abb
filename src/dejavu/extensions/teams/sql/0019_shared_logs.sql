-- A session log can hold conversations of several projects. Where one of them is private, its raw is for those who may
-- read all of them. Adds only: programs of schema 7 to 18 read and write as before, and the new rule holds for them.

alter table dejavu_sources add column if not exists places int[];
alter table dejavu_sources add column if not exists left_places int[];
comment on column dejavu_sources.places is
  'The workspaces of its conversations, where there are several and one is private: its raw takes a right in each.';
comment on column dejavu_sources.left_places is
  'Workspaces of conversations that were deleted or taken from it, whose bytes may be in it still.';
create index if not exists dejavu_sources_left on dejavu_sources using gin (left_places)
  where left_places is not null;

-- As step 11 has it, but a record of such a log carries no workspace, so that `dejavu_sees` judges it.
create or replace function dejavu_place_of_key(key bytea) returns int
language plpgsql stable set search_path from current as $$
declare
  letter int := get_byte(key, 0);
  named bytea;
begin
  if letter in (78, 84) or letter = 76 and get_byte(key, 1) = 99 then
    named := substring(key from case letter when 76 then 3 else 2 end for 8);
  elsif letter = 79 then
    named := substring(key from length(key) - 7);
  elsif letter in (80, 82) then
    named := substring(key from 2 for 8);
  elsif letter = 72 then
    return (select c.workspace from dejavu_conversations c
             where c.id = encode(substring(key from 2), 'escape'));
  elsif letter = 76 and length(key) > 10 then
    return (select c.workspace from dejavu_conversations c
             where c.id = encode(substring(key from 11), 'escape'));
  elsif letter = 83 then
    return (select s.workspace from dejavu_sources s where s.hash = substring(key from 2) and s.places is null);
  end if;
  if length(named) <> 8 then return null; end if;
  if letter in (80, 82) then
    return (select s.workspace from dejavu_sources s
             where s.number = ('x' || encode(named, 'hex'))::bit(64)::bigint and s.places is null);
  end if;
  return (select c.workspace from dejavu_conversations c
           where c.number = ('x' || encode(named, 'hex'))::bit(64)::bigint);
end $$;

create or replace function dejavu_place_sources(wanted bigint[]) returns void
language plpgsql security definer set search_path from current as $$
declare it record;
begin
  for it in
    update dejavu_sources s set workspace = x.workspace, instance = x.instance, places = x.places
      from (select o.number, y.workspace, y.instance, case when cardinality(y.every) > 1 and exists (
                     select from dejavu_workspaces w where w.id = any (y.every) and w.private) then y.every end places
              from (select l.source, (array_agg(c.workspace order by w.private desc, c.workspace))[1] workspace,
                           (array_agg(c.instance order by c.number))[1] instance,
                           array(select distinct place from unnest(array_agg(c.workspace) || (
                             select left_places from dejavu_sources o where o.number = l.source)) as place
                              order by place) every
                      from dejavu_links l
                      join dejavu_conversations c on c.id = l.conversation
                      join dejavu_workspaces w on w.id = c.workspace
                     where l.source = any (wanted) group by l.source) y
              join dejavu_sources o on o.number = y.source) x
     where s.number = x.number and (s.workspace, s.instance, s.places) is distinct from (x.workspace, x.instance, x.places)
    returning s.number, s.hash
  loop
    update dejavu_records set workspace = null
     where key in ('\x50'::bytea || int8send(it.number), '\x53'::bytea || it.hash)
        or key >= '\x52'::bytea || int8send(it.number) and key < '\x52'::bytea || int8send(it.number + 1);
  end loop;
end $$;
revoke execute on function dejavu_place_sources(bigint[]) from public;

-- What is unlinked leaves its bytes in the log as long as another conversation needs that. A deleted conversation may
-- be gone by now, so what the log was for before counts.
create or replace function dejavu_unlinked() returns trigger
language plpgsql security definer set search_path from current as $$
begin
  update dejavu_sources s set left_places = x.every
    from (select o.number, array(select distinct place from unnest(
                   o.left_places || coalesce(o.places, array[o.workspace])) as place order by place) every
            from dejavu_sources o
           where o.workspace is not null and o.number in (select source from gone)) x
   where s.number = x.number and s.left_places is distinct from x.every;
  return null;
end $$;
revoke execute on function dejavu_unlinked() from public;
drop trigger if exists dejavu_unlinked on dejavu_links;
create trigger dejavu_unlinked after delete on dejavu_links
  referencing old table as gone for each statement execute function dejavu_unlinked();

-- The logs that a project's privacy decides about.
create or replace function dejavu_sources_of(place int) returns bigint[]
language sql stable set search_path from current as $$
  select array(select l.source from dejavu_links l join dejavu_conversations c on c.id = l.conversation
                where c.workspace = place
               union select s.number from dejavu_sources s
                where s.left_places is not null and s.left_places @> array[place])
$$;
revoke execute on function dejavu_sources_of(int) from public;

select dejavu_place_sources(array(select number from dejavu_sources));
