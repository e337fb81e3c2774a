-- What a database knows about shards: which ones it serves. Readers and writers ask it in each transaction. A shard map is
-- the plan, and this is the truth: at any time at most one database serves a shard.
create table if not exists shards_here (
  shard integer primary key,
  -- owned: reads and writes. frozen: only reads, for the moment of a cut-over. arriving: the rows are being copied here.
  -- moved: the shard has left.
  state text not null check (state in ('owned', 'frozen', 'arriving', 'moved')),
  other text check ((other is null) = (state = 'owned')) -- the database that the shard comes from or goes to
);

-- A transaction calls this before it touches rows of a shard. If it may not, the error has the SQLSTATE SH001, and its
-- detail is the name of the database to ask instead.
create or replace function enter_shard(wanted integer, will_write boolean) returns void language plpgsql as $$
declare here shards_here;
begin
  -- What a reader sees must not be newer than this check. A writer's check must not be older than its lock below, which
  -- makes a freeze wait for the writers inside, and later writers wait for the freeze.
  if (current_setting('transaction_isolation') = 'read committed') <> will_write then
    raise 'enter_shard: writers have to be READ COMMITTED, readers REPEATABLE READ';
  end if;
  if will_write then perform pg_advisory_xact_lock_shared(7714, wanted); end if;
  select * into here from shards_here where shard = wanted;
  if here.state = 'owned' or (here.state = 'frozen' and not will_write) then return; end if;
  raise 'shard % is not served here: %', wanted, coalesce(here.state, 'unknown')
    using errcode = 'SH001', detail = coalesce(here.other, '');
end $$;
