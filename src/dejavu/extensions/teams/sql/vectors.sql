-- Where pgvector (0.8 or newer) is installed, the meanings of exchanges, which the server compares; run by
-- `dejavu team init`. Members send the vectors of what they may write. No login may read them: the functions below
-- judge what the caller may see. The index holds nothing of private workspaces, so those cannot change what others
-- find; they, and all that is small, are compared one by one.
-- https://github.com/pgvector/pgvector, "Iterative Index Scans", "Half-Precision Indexing"

do $do$
declare place name;
begin
  select n.nspname into place from pg_extension e join pg_namespace n on n.oid = e.extnamespace
   where e.extname = 'vector' and string_to_array(substring(e.extversion from '^[0-9.]+'), '.')::int[] >= '{0,8}';
  if place is null then return; end if;
  execute replace($sql$

-- A passage: the turns `seq` to `stop` of a conversation. `piece`: which of those that begin at the same turn.
create table if not exists dejavu_vectors (
  conversation bigint not null,
  seq int not null,
  piece int not null,
  stop int not null,
  month date not null,
  workspace int not null,
  hidden boolean not null,
  model text not null,
  meaning {ext}.halfvec(384) not null,
  primary key (conversation, model, seq, piece)
);
alter table dejavu_vectors alter column meaning set statistics 0;
create index if not exists dejavu_vectors_workspace on dejavu_vectors (workspace);
create index if not exists dejavu_vectors_near on dejavu_vectors
  using hnsw (meaning {ext}.halfvec_cosine_ops) where not hidden;
create table if not exists dejavu_vectors_made (
  conversation bigint not null,
  model text not null,
  sequence bigint not null,
  primary key (conversation, model)
);
comment on table dejavu_vectors is 'The meanings of passages, made on members'' machines. Read by functions alone.';
comment on column dejavu_vectors.conversation is 'The conversation''s number.';
comment on column dejavu_vectors.seq is 'The first turn of the passage.';
comment on column dejavu_vectors.piece is 'Which of the passages that begin at this turn.';
comment on column dejavu_vectors.stop is 'The last turn of the passage.';
comment on column dejavu_vectors.month is 'The partition of its first turn.';
comment on column dejavu_vectors.workspace is 'The workspace of its conversation.';
comment on column dejavu_vectors.hidden is 'Whether its workspace is private; such vectors are in no index.';
comment on column dejavu_vectors.model is 'The model that made it.';
comment on column dejavu_vectors.meaning is 'The vector.';
comment on table dejavu_vectors_made is 'Up to which entry of the log a conversation has its vectors.';
comment on column dejavu_vectors_made.conversation is 'The conversation''s number.';
comment on column dejavu_vectors_made.model is 'The model that made them.';
comment on column dejavu_vectors_made.sequence is 'The number of the log''s entry.';

-- Vectors follow their conversation: gone with it, moved with it.
create or replace function dejavu_follow_conversation() returns trigger
language plpgsql security definer set search_path from current as $f$
begin
  if tg_op = 'TRUNCATE' then
    truncate dejavu_vectors, dejavu_vectors_made;
  elsif tg_op = 'DELETE' then
    delete from dejavu_vectors where conversation = old.number;
    delete from dejavu_vectors_made where conversation = old.number;
  else
    update dejavu_vectors set workspace = new.workspace,
           hidden = (select private from dejavu_workspaces where id = new.workspace)
     where conversation = new.number;
  end if;
  return null;
end $f$;
revoke execute on function dejavu_follow_conversation() from public;
create or replace trigger dejavu_vectors_gone after delete on dejavu_conversations
  for each row execute function dejavu_follow_conversation();
-- A trigger of the project's moves it, too, and of that `of workspace` knows nothing.
create or replace trigger dejavu_vectors_moved after update of workspace, project on dejavu_conversations
  for each row when (old.workspace <> new.workspace) execute function dejavu_follow_conversation();
create or replace trigger dejavu_vectors_replaced after truncate on dejavu_conversations
  for each statement execute function dejavu_follow_conversation();
create or replace function dejavu_follow_private() returns trigger
language plpgsql security definer set search_path from current as $f$
begin
  update dejavu_vectors set hidden = new.private where workspace = new.id and hidden <> new.private;
  return null;
end $f$;
revoke execute on function dejavu_follow_private() from public;
create or replace trigger dejavu_vectors_private after update of private on dejavu_workspaces
  for each row execute function dejavu_follow_private();

-- Of some conversations, each up to an entry of the log, those that the caller may write and that lack vectors.
create or replace function dejavu_vectors_wanted(numbers bigint[], sequences bigint[], model text)
returns setof bigint language sql stable security definer set search_path from current as $f$
  select n.number from unnest(numbers, sequences) as n (number, sequence)
   where case when (dejavu_place_to_write(dejavu_caller(), n.number)).workspace is null then false else not exists (
     select from dejavu_vectors_made m where m.conversation = n.number
        and m.model = dejavu_vectors_wanted.model and m.sequence >= n.sequence) end
$f$;

-- The passages of a conversation that have vectors; of what the caller may not write, none.
create or replace function dejavu_vectors_held(number bigint, model text)
returns table (seq int, stop int) language sql stable security definer set search_path from current as $f$
  select v.seq, v.stop from dejavu_vectors v
   where v.conversation = number and v.model = dejavu_vectors_held.model
     and (dejavu_place_to_write(dejavu_caller(), number)).workspace is not null
$f$;

-- Put the vectors of a conversation's passages in the place of those that reach turn `first` (null: add them).
-- `sequence`: up to which entry of the log that is all of it; null where more follow. All get the length 1: programs
-- compare by products, where a long vector would come first for every question. What has no direction is refused.
create or replace function dejavu_put_vectors(
  number bigint, model text, first int, seqs int[], pieces int[], stops int[], meanings text[], sequence bigint
) returns void language plpgsql security definer set search_path from current as $f$
declare
  who name := dejavu_caller();
  spot int := (dejavu_place_to_write(who, number)).workspace;
  secret boolean;
begin
  if spot is null then perform dejavu_refuse('write vectors of others', who); end if;
  -- Who moves the conversation meanwhile waits, or has done so.
  perform from dejavu_conversations c where c.number = dejavu_put_vectors.number for share;
  spot := (dejavu_place_to_write(who, number)).workspace;
  if spot is null then perform dejavu_refuse('write vectors of others', who); end if;
  -- Who makes it private meanwhile waits, or has done so.
  select private into secret from dejavu_workspaces where id = spot for share;
  if exists (select from unnest(meanings) as m (meaning) where {ext}.l2_norm(m.meaning::{ext}.halfvec) = 0) then
    raise exception 'a vector of zeros has no meaning' using errcode = 'invalid_parameter_value';
  end if;
  delete from dejavu_vectors v
   where v.conversation = number and v.model = dejavu_put_vectors.model and greatest(v.stop, v.seq) >= first;
  insert into dejavu_vectors (conversation, seq, piece, stop, month, workspace, hidden, model, meaning)
    select number, m.seq, m.piece, m.stop, t.month, spot, secret, dejavu_put_vectors.model,
           {ext}.l2_normalize(m.meaning::{ext}.halfvec)
      from unnest(seqs, pieces, stops, meanings) as m (seq, piece, stop, meaning)
      join dejavu_turns t on t.conversation = number and t.seq = m.seq and t.seq < 2147483000;
  if sequence is not null then
    insert into dejavu_vectors_made as made values (number, dejavu_put_vectors.model, dejavu_put_vectors.sequence)
      on conflict on constraint dejavu_vectors_made_pkey do update set sequence = excluded.sequence;
  end if;
end $f$;

-- The nearest by the index, of what is not private. It looks on until enough are of these places.
create or replace function dejavu_near_shared(places int[], model text, wanted {ext}.halfvec, most int)
returns table (conversation bigint, seq int, month date, far float8)
language plpgsql stable set search_path from current set enable_sort = off set jit = off
set hnsw.iterative_scan = 'strict_order' set hnsw.max_scan_tuples = 100000 set hnsw.ef_search = 100 as $f$
begin
  return query select v.conversation, v.seq, v.month, v.meaning operator({ext}.<=>) wanted
    from dejavu_vectors v
   where not v.hidden and v.workspace = any (places) and v.model = dejavu_near_shared.model
   order by v.meaning operator({ext}.<=>) wanted limit most;
end $f$;
revoke execute on function dejavu_near_shared(int[], text, {ext}.halfvec, int) from public;

-- The nearest of all, one by one. `common`: the cosine of what is only a little like the question, the upper fifth
-- of some 400, but its best quarter; null where there are too few.
create or replace function dejavu_near_each(
  places int[], model text, wanted {ext}.halfvec, most int,
  out conversations bigint[], out seqs int[], out months date[], out fars float8[], out common float8
) language plpgsql stable set search_path from current set jit = off as $f$
begin
  with every as materialized (
      select v.conversation, v.seq, v.month, (v.meaning operator({ext}.<=>) wanted)::float8 as far
        from dejavu_vectors v where v.workspace = any (places) and v.model = dejavu_near_each.model),
    nearest as (select * from every order by far limit most),
    ranked as (select far, row_number() over (order by far) as rank, count(*) over () as size
                 from every, (select greatest(count(*) / 400, 1) as step from every) s
                where abs((hashint8(conversation) # hashint4(seq))::bigint) % step = 0)
  select array_agg(n.conversation), array_agg(n.seq), array_agg(n.month), array_agg(n.far),
         (select 1 - avg(r.far) from ranked r where r.size >= 50 and r.rank > r.size / 20 and r.rank <= r.size / 5)
    into conversations, seqs, months, fars, common from nearest n;
end $f$;
revoke execute on function dejavu_near_each(int[], text, {ext}.halfvec, int) from public;

-- As `dejavu_near_each`, by the index where there are many.
create or replace function dejavu_near(
  everyones boolean, places int[], rest int[], model text, wanted {ext}.halfvec, most int,
  out conversations bigint[], out seqs int[], out months date[], out fars float8[], out common float8
) language plpgsql stable set search_path from current as $f$
declare
  small constant int := 20000;  -- vectors that are compared one by one
  size float8 := (select reltuples from pg_class where oid = 'dejavu_vectors'::regclass);
  held int;
  alone record;
begin
  if everyones then
    select count(*) into held from (select from dejavu_vectors v where v.workspace = any (places) limit small + 1) x;
  end if;
  if everyones and held > small then
    select array_agg(n.conversation), array_agg(n.seq), array_agg(n.month), array_agg(n.far)
      into conversations, seqs, months, fars from dejavu_near_shared(places, model, wanted, most) n;
    select 1 - avg(r.far) into common from (
      select s.far, row_number() over (order by s.far) as rank, count(*) over () as size
        from (select v.meaning operator({ext}.<=>) wanted as far
                from dejavu_vectors v tablesample system (least(100, 200000 / greatest(size, 2000))) repeatable (1)
               where v.workspace = any (places) and v.model = dejavu_near.model) s) r
     where r.size >= 50 and r.rank > r.size / 20 and r.rank <= r.size / 5;
    if cardinality(conversations) = most then
      if cardinality(rest) > 0 then
        alone := dejavu_near_each(rest, model, wanted, most);
        select array_agg(n.conversation), array_agg(n.seq), array_agg(n.month), array_agg(n.far)
          into conversations, seqs, months, fars
          from (select * from unnest(conversations || alone.conversations, seqs || alone.seqs, months || alone.months,
                    fars || alone.fars) as b (conversation, seq, month, far) order by b.far limit most) n;
      end if;
      return;
    end if;
  end if;
  select n.* into conversations, seqs, months, fars, common from dejavu_near_each(places, model, wanted, most) n;
end $f$;
revoke execute on function dejavu_near(boolean, int[], int[], text, {ext}.halfvec, int) from public;

-- What `dejavu_recall` says, with the exchanges that are nearest to a vector of the question, and with the vectors of
-- all passages it tells of ("near": of the nearest). `common` as of `dejavu_near_each`. Judges rights as `dejavu_find`.
create or replace function dejavu_recall_near(
  who name, terms text[], pieces text[], weights float8[], places text[], project text, most int, model text,
  wanted {ext}.halfvec
) returns jsonb
language plpgsql stable security definer set search_path from current as $f$
declare
  answer jsonb := dejavu_recall(who, terms, pieces, weights, places, project, most);
  nearest text;
  whole_project text;
  told text;
  scope record;
  near record;
  turns jsonb;
  mine int[] := dejavu_readable(who);  -- before any name is compared
begin
  if places is not null then  -- as `dejavu_recall` looks
    select w.project into whole_project from dejavu_workspaces w
     where w.id = any (mine) and (w.project = dejavu_recall_near.project
       or starts_with(dejavu_recall_near.project, w.project || '/'))
     order by length(w.project) desc limit 1;
    select w.name, w.project into nearest, told
      from unnest(places) with ordinality as asked (name, rank) join dejavu_workspaces w using (name)
     where w.id = any (mine) order by rank limit 1;
    places := array(select w.name from dejavu_workspaces w where w.id = any (mine)
      and (w.name = nearest or w.project = coalesce(whole_project, told)));
  end if;
  scope := dejavu_scope(who, places, false);
  near := dejavu_near(scope.everyones, scope.places, scope.rest, model, wanted, 2 * most);
  if near.conversations is null then return answer; end if;
  turns := dejavu_exchanges(near.conversations, near.seqs, near.months,
    array_fill(1::bigint, array[cardinality(near.seqs)]), array[1.0::float8], 2 * most);
  select jsonb_agg(t.turn order by t.number, t.seq) into turns from (
    select distinct on (number, seq) x.turn, (x.turn ->> 'number')::bigint as number, (x.turn ->> 'seq')::int as seq
      from jsonb_array_elements((answer -> 'turns') || coalesce(turns, '[]')) as x (turn)) t;
  return answer || jsonb_build_object('turns', turns, 'common', near.common, 'passages', (
    select jsonb_agg(jsonb_build_object('number', v.conversation, 'seq', v.seq, 'stop', v.stop,
        'near', n.seq is not null, 'meaning', encode({ext}.halfvec_send(v.meaning), 'base64'))
        order by v.conversation, v.seq, v.piece)
      from jsonb_array_elements(turns) as t (turn)
      join dejavu_vectors v on v.conversation = (t.turn ->> 'number')::bigint and v.seq = (t.turn ->> 'seq')::int
       and v.model = dejavu_recall_near.model and v.workspace = any (scope.places)
      left join (select distinct x.conversation, x.seq from unnest(near.conversations, near.seqs) as x (conversation, seq)) n
        on n.conversation = v.conversation and n.seq = v.seq));
end $f$;
  $sql$, '{ext}', quote_ident(place));
end $do$;
