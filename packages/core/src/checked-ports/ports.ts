/** The table of all ports: what each of their methods may give. */
import type {
  BlobHandle,
  BlobStore,
  Ciphers,
  Clock,
  Confirmation,
  Copy,
  Digest,
  DigestsBeside,
  ErasureCopies,
  Hashing,
  HeldHead,
  Ids,
  Journal,
  Keyring,
  KeySecrets,
  LogSigner,
  PolicyCheck,
  Reserve,
  RowCursor,
  RowReader,
  RowSnapshot,
  Scratch,
  Secret,
  TimeRecord,
  Timer,
  Witness,
} from '../ports/index.ts'
import type { Schema } from '../schema/schema.ts'
import {
  aFunction,
  anObject,
  boolean,
  bytes,
  type Check,
  count,
  fields,
  finite,
  id,
  ignored,
  items,
  later,
  laterPassing,
  listOf,
  nothing,
  orNothing,
  row,
  soon,
  text,
  texts,
  uint32,
  waits,
} from './answers.ts'
import { gives, givesLater, has, maybe, type Members, objectOf, port } from './checked-object.ts'
import { isOwnPort } from './own-ports.ts'
import { withNotedSources } from './noted-source.ts'

const done = later(ignored)
const whether = orNothing(boolean)

const cursor: Members<RowCursor> = {
  next: givesLater(later(listOf(row))),
  seek: gives(nothing),
  close: givesLater(done),
}
const reader: Members<RowReader> = {
  get: givesLater(soon(orNothing(bytes))),
  getMany: givesLater(later(listOf(orNothing(bytes)))),
  cursor: gives(objectOf('a cursor', cursor)),
}
const snapshot: Members<RowSnapshot> = { ...reader, close: givesLater(done) }
const heldHead: Members<HeldHead> = { seq: has(count), commit: givesLater(done), release: givesLater(done) }

const storedEvent = fields('an event', { seq: count, bytes })
const eventItems = items(storedEvent)
const eventPages = items(listOf(storedEvent))

/** The events of a journal, which may have pages of them. */
const storedEvents: Check = (value, place) => {
  const single = eventItems(value, place) as object
  const { pages } = value as { readonly pages?: unknown }
  if (pages === undefined) return single
  return { ...single, ...(objectOf('events', { pages: gives(eventPages) })(value, place) as object) }
}

const journalMembers: Members<Journal> = {
  ...reader,
  exclusive: maybe(has(whether)),
  recovers: maybe(has(whether)),
  now: maybe(givesLater(later(finite))),
  head: givesLater(later(count)),
  commit: givesLater(done),
  hold: maybe(givesLater(later(objectOf('a turn', heldHead)))),
  events: gives(storedEvents),
  purge: maybe(givesLater(later(boolean))),
  snapshot: gives(soon(objectOf('a snapshot', snapshot))),
  close: givesLater(done),
}

const handle: Members<BlobHandle> = { size: has(count), read: givesLater(done), close: givesLater(done) }
const opened = givesLater(later(objectOf('an open blob', handle)))

const digest: Members<Digest> = { update: gives(nothing), finish: gives(bytes) }
const digestsBeside: Members<DigestsBeside> = {
  update: gives(soon(ignored)),
  finish: givesLater(later(anObject)),
  abandon: gives(ignored),
}

const at = <F extends 'InternalError' | 'JournalFailed' | 'BlobFailed'>(name: string, failure: F) => ({
  name: `ports.${name}`,
  failure,
})
const other = (name: string) => at(name, 'InternalError')

export const journal = port('a journal', journalMembers, at('journal', 'JournalFailed'))

const blobStore = port<BlobStore>(
  'a blob store',
  {
    write: givesLater(laterPassing(count)),
    replace: maybe(givesLater(laterPassing(count))),
    open: opened,
    delete: givesLater(done),
    purge: maybe(givesLater(later(boolean))),
    discard: maybe(givesLater(done)),
    list: gives(items(text)),
    discardUnfinished: givesLater(later(count)),
    close: givesLater(done),
  },
  at('blobs', 'BlobFailed'),
)

export const blobs: Schema<BlobStore> = {
  ...blobStore,
  read(value) {
    const checked = blobStore.read(value)
    return isOwnPort(checked) ? checked : withNotedSources(checked, at('blobs', 'BlobFailed'))
  },
}

export const clock = port<Clock>('a clock', { now: gives(finite), monotonic: gives(finite) }, other('clock'))

export const ids = port<Ids>('what makes ids', { next: gives(id) }, other('ids'))

export const hashing = port<Hashing>(
  'what makes digests',
  {
    create: gives(objectOf('a digest', digest)),
    digest: maybe(gives(bytes)),
    beside: maybe(gives(orNothing(objectOf('digests on another thread', digestsBeside)))),
    sha256: gives(text),
    crc32: gives(uint32),
  },
  other('hashing'),
)

const tip = fields('a tip', { seq: count, hash: text })

export const witness = port<Witness>(
  'a witness',
  { read: givesLater(later(orNothing(tip))), write: givesLater(done), note: maybe(gives(ignored)) },
  other('witness'),
)

export const confirmation = port<Confirmation>(
  'a confirmation',
  { refusal: has(orNothing(anObject)), confirmed: givesLater(orNothing(done)) },
  other('confirmation'),
)

export const copy = port<Copy>(
  'a copy',
  { name: has(text), open: opened, sideRow: givesLater(later(orNothing(bytes))) },
  other('copies'),
)

export const erasureCopies = port<ErasureCopies>(
  'copies that lose what is erased',
  { behind: givesLater(later(texts)) },
  other('erasureCopies'),
)

const room = fields('room', { total: finite, free: finite, reserved: finite })

export const reserve = port<Reserve>(
  'a reserve',
  { room: maybe(givesLater(later(orNothing(room)))), exhausted: gives(soon(boolean)) },
  other('reserve'),
)

export const ciphers = port<Ciphers>(
  'ciphers',
  { seal: gives(bytes), open: gives(orNothing(bytes)), derive: gives(bytes), random: gives(bytes) },
  other('ciphers'),
)

export const keyring = port<Keyring>(
  'a keyring',
  {
    master: has(orNothing(text)),
    has: gives(boolean),
    wrap: givesLater(later(bytes)),
    unwrap: givesLater(later(orNothing(bytes))),
  },
  other('keyring'),
)

export const secret = port<Secret>('a secret', { read: givesLater(later(bytes)) }, other('secret'))

export const secrets = port<KeySecrets>(
  'a place for the secrets of access keys',
  {
    tokenKey: givesLater(later(bytes)),
    make: gives(fields('a pair', { accessKeyId: text, secretAccessKey: text })),
    put: givesLater(later(boolean)),
    get: givesLater(later(orNothing(text))),
    remove: givesLater(done),
    settle: givesLater(done),
  },
  other('secrets'),
)

const identity = fields('an identity', { origin: text, publicKey: bytes })

export const signer = port<LogSigner>(
  'a signer of checkpoints',
  {
    identity: givesLater(later(identity)),
    sign: givesLater(later(bytes)),
    last: givesLater(later(orNothing(text))),
    keep: givesLater(done),
    renew: givesLater(later(identity)),
    verify: gives(boolean),
  },
  other('signer'),
)

export const policies = port<PolicyCheck>('a check of policies', { check: givesLater(done) }, other('policies'))

const list = listOf(anObject)
const observedTime = fields('an observed time', {
  believed: finite,
  locks: finite,
  ran: finite,
  opened: count,
  gaps: list,
  marks: list,
})

export const time = port<TimeRecord>(
  'a record of time',
  { read: givesLater(later(orNothing(observedTime))), write: givesLater(done) },
  other('time'),
)

export const timer = port<Timer>(
  'a timer',
  { pause: givesLater(waits(laterPassing(ignored))), nextTurn: givesLater(waits(done)), hold: maybe(gives(aFunction)) },
  other('timer'),
)

const scratch: Members<Scratch> = {
  journal: has((value, place) => objectOf('a journal', journalMembers)(value, { ...place, failure: 'JournalFailed' })),
  remove: givesLater(done),
}

/** What opens an empty journal. */
export const scratchOf = (open: () => Promise<Scratch>): (() => Promise<Scratch>) => {
  const { openScratch } = port<{ openScratch(): Promise<Scratch> }>(
    'ports',
    { openScratch: givesLater(later(objectOf('an empty journal', scratch))) },
    { name: 'ports', failure: 'JournalFailed' },
  ).read({ openScratch: open })
  return openScratch
}
