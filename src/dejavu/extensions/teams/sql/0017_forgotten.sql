-- Turns go with their conversation. A program up to schema 16 left the rows of turns and parts behind where their raw
-- was deleted or masked in the same change, as it could not read any more what had been there. Adds only: programs of
-- schema 7 to 16 read and write as before, and their deletions leave nothing behind from now on.

create or replace function dejavu_forget_turns() returns trigger
language plpgsql security definer set search_path from current as $$
begin
  delete from dejavu_turns where conversation = old.number;
  delete from dejavu_parts where conversation = old.number;
  return null;
end $$;
revoke execute on function dejavu_forget_turns() from public;
drop trigger if exists dejavu_forget_turns on dejavu_conversations;
create trigger dejavu_forget_turns after delete on dejavu_conversations
  for each row execute function dejavu_forget_turns();

-- What was left behind: of conversations that are gone, and of those whose raw was masked. The program that runs this
-- makes the latter again from the records. The key of a masked source is V, "withheld", NUL, "s" and its name.
create temporary table dejavu_left on commit drop as
  select c.number from dejavu_conversations c
   where exists (select from dejavu_links l join dejavu_sources s on s.number = l.source
                   join dejavu_records r on r.key = '\x567769746868656c640073'::bytea || convert_to(s.name, 'UTF8')
                  where l.conversation = c.id);
delete from dejavu_turns t where not exists (select from dejavu_conversations c where c.number = t.conversation)
  or t.conversation in (select number from pg_temp.dejavu_left);
delete from dejavu_parts p where not exists (select from dejavu_conversations c where c.number = p.conversation)
  or p.conversation in (select number from pg_temp.dejavu_left);
drop table pg_temp.dejavu_left;
