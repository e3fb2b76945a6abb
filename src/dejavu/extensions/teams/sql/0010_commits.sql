-- Commits that are prepared without the writer's place: `dejavu_commit` takes it, looks whether what the change
-- was made from is as it was, numbers the log, and writes, all in one call. So the place is held while the
-- server works and never while a network carries something. Programs of schema 7 to 9 write as before.

alter table dejavu_commits add column if not exists moved bigint not null default 0;
comment on column dejavu_commits.moved is 'How many log entries of others came between the preparation and the commit.';

-- The CRC-32 of zlib, half a byte at a time.
create or replace function dejavu_crc32(bytes bytea) returns bigint
language plpgsql immutable strict parallel safe as $$
declare
  halves constant bigint[] := '{0,498536548,997073096,651767980,1994146192,1802195444,1303535960,1342533948,
    3988292384,4027552580,3604390888,3412177804,2607071920,2262029012,2685067896,3183342108}';
  crc bigint := 4294967295;
begin
  for i in 0 .. length(bytes) - 1 loop
    crc := crc # get_byte(bytes, i);
    crc := (crc >> 4) # halves[1 + (crc & 15)];
    crc := (crc >> 4) # halves[1 + (crc & 15)];
  end loop;
  return crc # 4294967295;
end $$;

-- A number from 0 on as msgpack.
create or replace function dejavu_packed(number bigint) returns bytea
language plpgsql immutable strict parallel safe as $$
begin
  return case when number < 128 then substring(int8send(number) from 8)
    when number < 256 then '\xcc'::bytea || substring(int8send(number) from 8)
    when number < 65536 then '\xcd'::bytea || substring(int8send(number) from 7)
    when number < 4294967296 then '\xce'::bytea || substring(int8send(number) from 5)
    else '\xcf'::bytea || int8send(number) end;
end $$;

-- The msgpack number that begins at a byte (the first is 1), and of how many bytes it is.
create or replace function dejavu_number_at(bytes bytea, place int, out number bigint, out size int)
language plpgsql immutable strict parallel safe as $$
declare head int := get_byte(bytes, place - 1);
begin
  size := case when head < 128 then 1 when head between 204 and 207 then 1 + (1 << (head - 204)) end;
  if size is null then
    raise exception 'a record cannot be read' using errcode = 'DV003';
  end if;
  number := head;
  if size > 1 then
    number := ('x' || lpad(encode(substring(bytes from place + 1 for size - 1), 'hex'), 16, '0'))::bit(64)::bigint;
  end if;
end $$;

-- A value with its checksum, as dejavu/archive/backends/transaction.py has it; and the value in one.
create or replace function dejavu_wrapped(key bytea, value bytea) returns bytea
language plpgsql immutable strict parallel safe as $$
declare size int := length(value);
begin
  return '\x92'::bytea || dejavu_packed(dejavu_crc32(key || value)) || case
    when size < 256 then '\xc4'::bytea || substring(int4send(size) from 4)
    when size < 65536 then '\xc5'::bytea || substring(int4send(size) from 3)
    else '\xc6'::bytea || int4send(size) end || value;
end $$;

create or replace function dejavu_unwrapped(key bytea, stored bytea) returns bytea
language plpgsql immutable parallel safe as $$
declare
  crc record;
  value bytea;
begin
  if stored is not null and get_byte(stored, 0) = 146 then
    crc := dejavu_number_at(stored, 2);
    value := substring(stored from 2 + crc.size
      + case get_byte(stored, 1 + crc.size) when 196 then 2 when 197 then 3 else 5 end);
  end if;
  if value is null or dejavu_crc32(key || value) <> crc.number then
    raise exception 'a record cannot be read' using errcode = 'DV003';
  end if;
  return value;
end $$;

-- The archive's own record with one of its counters raised; `number` is what it was.
create or replace function dejavu_raised(
  packed bytea, name text, more bigint, out number bigint, out raised bytea
) language plpgsql immutable strict parallel safe as $$
declare
  label bytea := set_byte('\x00'::bytea, 0, 160 + length(name)) || convert_to(name, 'UTF8');
  place int := position(label in packed);
  it record;
begin
  if place = 0 then raise exception 'a record cannot be read' using errcode = 'DV003'; end if;
  place := place + length(label);
  it := dejavu_number_at(packed, place);
  number := it.number;
  raised := overlay(packed placing dejavu_packed(it.number + more) from place for it.size);
end $$;

-- The archive's own record. The caller holds the writer's place.
create or replace function dejavu_meta() returns bytea language plpgsql stable as $$
begin
  return dejavu_unwrapped('\x4d6d657461', (select value from dejavu_records where key = '\x4d6d657461'));
end $$;

create or replace function dejavu_save_meta(packed bytea) returns void language plpgsql as $$
begin
  update dejavu_records set value = dejavu_wrapped('\x4d6d657461', packed) where key = '\x4d6d657461';
end $$;

-- Numbers for conversations and sources that no other program gives: the last ones given before. What is
-- not used is left out for good.
create or replace function dejavu_reserve(
  place bigint, conversations int, sources int, out conversation bigint, out source bigint
) language plpgsql as $$
declare it record;
begin
  perform pg_advisory_xact_lock(place);
  it := dejavu_raised(dejavu_meta(), 'conversations', conversations);
  conversation := it.number;
  it := dejavu_raised(it.raised, 'sources', sources);
  source := it.number;
  perform dejavu_save_meta(it.raised);
end $$;

-- Whether records and stretches of keys are as they were read: by the MD5 of each value (null: there was
-- none), and by that of the keys of a stretch.
create or replace function dejavu_unchanged(
  keys bytea[], digests text[], starts bytea[], stops bytea[], listed text[]
) returns boolean language plpgsql stable as $$
begin
  return not exists (
      select from unnest(keys, digests) as was (key, digest)
        left join lateral (select md5(r.value) as digest from dejavu_records r
                            where r.key = was.key offset 0) as found on true
       where found.digest is distinct from was.digest)
    and not exists (
      select from unnest(starts, stops, listed) as was (start, stop, digest), lateral (
        select md5(coalesce(string_agg(int4send(length(key)) || key, ''::bytea order by key), '')) as digest
          from (select r.key from dejavu_records r
                 where r.key >= was.start and r.key < was.stop offset 0) as within) as found
       where found.digest <> was.digest);
end $$;

-- A change as it was prepared. Errors: DV002 what it was made from has changed, DV003 it needs the program.
-- `origin` is the part of the archive's own record that no commit changes; `highest` the numbers of
-- conversations and sources it gave; `counted` what it adds to turns and raw bytes; `entries` its log, from
-- the number after `sequence` on where `fixed`. `statements` bring the relations up, each from its document.
-- Returns how far the log's numbers moved.
create or replace function dejavu_commit(
  place bigint, session uuid, number bigint,
  read_keys bytea[], digests text[], starts bytea[], stops bytea[], listed text[],
  origin bytea, highest bigint[], counted bigint[], sequence bigint, fixed boolean, entries bytea[],
  gone bytea[], keys bytea[], stored bytea[], statements text[], documents text[]
) returns bigint language plpgsql as $$
declare
  meta bytea;
  was bytea;
  it record;
  moved bigint := 0;
begin
  perform pg_advisory_xact_lock(place);
  -- Sent again on another connection while this one was still on its way: that one counts.
  if exists (select from dejavu_commits c where c.session = dejavu_commit.session
               and c.number >= dejavu_commit.number) then
    raise exception 'this change was made already' using errcode = 'DV002';
  end if;
  if not dejavu_unchanged(read_keys, digests, starts, stops, listed) then
    raise exception 'others changed it meanwhile' using errcode = 'DV002';
  end if;
  if origin is not null then
    was := dejavu_meta();
    it := dejavu_raised(was, 'conversations', 0);
    if substring(was from 1 for length(origin)) <> origin or it.number < highest[1]
       or (dejavu_raised(was, 'sources', 0)).number < highest[2] then
      raise exception 'another archive is here now' using errcode = 'DV002';
    end if;
    it := dejavu_raised(was, 'sequence', cardinality(entries));
    moved := it.number - sequence;
    if fixed and moved <> 0 then
      raise exception 'others changed it meanwhile' using errcode = 'DV002';
    end if;
    for i in 1 .. cardinality(entries) loop
      keys := keys || ('\x47'::bytea || int8send(it.number + i));
      stored := stored || dejavu_wrapped('\x47'::bytea || int8send(it.number + i), entries[i]);
    end loop;
    meta := (dejavu_raised((dejavu_raised(it.raised, 'turns', counted[1])).raised, 'raw_bytes', counted[2])).raised;
    if meta <> was then perform dejavu_save_meta(meta); end if;
  end if;
  if gone <> '{}' then perform dejavu_delete_records(gone); end if;
  for i in 1 .. cardinality(statements) loop  -- first: records are judged by their conversations
    execute statements[i] using documents[i];
  end loop;
  insert into dejavu_records (key, value) select * from unnest(keys, stored)
    on conflict (key) do update set value = excluded.value;
  insert into dejavu_commits (session, number, moved)
    values (dejavu_commit.session, dejavu_commit.number, moved)
    on conflict on constraint dejavu_commits_pkey do update
       set number = excluded.number, moved = excluded.moved, at = now();
  return moved;
end $$;

-- Links that were there before move no source.
create or replace function dejavu_linked() returns trigger
language plpgsql security definer set search_path from current as $$
begin
  if exists (select from fresh) then
    perform dejavu_place_sources(array(select distinct source from fresh));
  end if;
  return null;
end $$;
