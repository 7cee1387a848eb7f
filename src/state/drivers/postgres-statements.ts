/**
 * The tables and statements of the postgres driver. A released migration is never changed; a new one is added at the end.
 *
 * `heads` has one small row per key, `versions` one row per write with the id of the one before it: history is a chain, and nothing is copied.
 */
export const MIGRATIONS: readonly string[] = [
  `create table reprise_state_sessions (session text collate "C" primary key);
   create table reprise_state_heads (
     session text collate "C" not null, key text collate "C" not null, number bigint not null, hash text, id bigint not null,
     primary key (session, key)
   );
   create table reprise_state_versions (
     id bigint generated always as identity primary key, previous bigint, number bigint not null, hash text,
     writer text not null, instance text, updated_at bigint not null, content bytea
   );`,
]

const HEAD = 'reprise_state_heads h join reprise_state_versions v on v.id = h.id where h.session = $1 and h.key = $2'
const CHAIN = `with recursive chain (id, depth) as (
    select id, 0 from reprise_state_heads where session = $1 and key = $2
    union all select v.previous, depth + 1 from chain join reprise_state_versions v on v.id = chain.id where v.previous is not null and depth < $3
  )`

/**
 * The usual write, over a key that is there: no clash can be, and nothing is inserted but the version. No row back: it is not there, or not at that
 * version. $1 session, $2 key, $3 hash, $4 content, $5 writer, $6 instance, $7 time, $8 must be at this number, $9 with this start of its hash.
 */
const OVERWRITE = `
  with old as (
    select number, id from reprise_state_heads
    where session = $1 and key = $2 and hash is not null and ($8::bigint is null or (number = $8 and left(hash, 16) = $9))
  ), added as (
    insert into reprise_state_versions (previous, number, hash, content, writer, instance, updated_at)
    select id, number + 1, $3, $4, $5, $6, $7 from old
    returning id, number
  )
  update reprise_state_heads h set number = added.number, hash = $3, id = added.id from added where h.session = $1 and h.key = $2
  returning h.number`

/**
 * Any other write in one statement, where the answer is plain: no clash, and the version named is the one that is there. No row back: look closer.
 * $1 session, $2 key, $3 hash, $4 content, $5 writer, $6 instance, $7 time, $8 parents, $9 may overwrite anything, $10 must be at this number, $11 with
 * this start of its hash.
 */
const WRITE = `
  with old as (
    select number, hash, id from reprise_state_heads where session = $1 and key = $2
  ), allowed as (
    select 1 where case
      when $9 then true
      when $10::bigint is null then not exists (select 1 from old where hash is not null)
      else exists (select 1 from old where number = $10 and left(hash, 16) = $11)
    end and (exists (select 1 from old where hash is not null) or not exists (
      select 1 from reprise_state_heads where session = $1 and hash is not null and (key = any($8) or (key > $2 || '/' and key < $2 || '0'))
    ))
  ), added as (
    insert into reprise_state_versions (previous, number, hash, content, writer, instance, updated_at)
    select (select id from old), coalesce((select number from old), 0) + 1, $3, $4, $5, $6, $7 from allowed
    returning id, number
  )
  insert into reprise_state_heads (session, key, number, hash, id) select $1, $2, number, $3, id from added
  on conflict (session, key) do update set number = excluded.number, hash = excluded.hash, id = excluded.id
  returning number`

export const STATEMENTS = {
  createSession: 'insert into reprise_state_sessions (session) values ($1) on conflict do nothing',
  hasSession: 'select 1 from reprise_state_sessions where session = $1',
  lockSession: 'select 1 from reprise_state_sessions where session = $1 for update',
  sessions: 'select session from reprise_state_sessions order by session',
  load: `select v.id, v.number, v.hash, v.writer, v.instance, v.updated_at, v.content from ${HEAD}`,
  list: 'select key from reprise_state_heads where session = $1 and hash is not null order by key',
  versions: 'select key, number, hash from reprise_state_heads where session = $1 and hash is not null order by key',
  clash: `select key from reprise_state_heads where session = $1 and hash is not null
          and (key = any($3) or (key > $2 || '/' and key < $2 || '0')) order by key limit 1`,
  put: `with added as (
          insert into reprise_state_versions (previous, number, hash, content, writer, instance, updated_at)
          select (select id from reprise_state_heads where session = $1 and key = $2), $3, $4, $5, $6, $7, $8 returning id
        )
        insert into reprise_state_heads (session, key, number, hash, id) select $1, $2, $3, $4, id from added
        on conflict (session, key) do update set number = excluded.number, hash = excluded.hash, id = excluded.id`,
  past: `${CHAIN} select number, hash, writer, instance, updated_at, length(content) as size
         from chain join reprise_state_versions v on v.id = chain.id order by number`,
  version: `${CHAIN} select number, hash, writer, instance, updated_at, content
            from chain join reprise_state_versions v on v.id = chain.id where number = $4`,
  prune: `${CHAIN} delete from reprise_state_versions where id in (select id from chain where depth > $4)`,
  overwrite: OVERWRITE,
  write: WRITE,
} as const
