/** Checks the ports of a store. Ports are foreign objects: their presence is checked, and the values of those that give plain ones. */
import type {
  BlobStore,
  Ciphers,
  Clock,
  Confirmation,
  Copy,
  ErasureCopies,
  Hashing,
  Ids,
  Keyring,
  KeySecrets,
  LogSigner,
  PolicyCheck,
  Reserve,
  Secret,
  TimeRecord,
  Timer,
  Witness,
} from '../../ports/index.ts'
import { StorageError } from '../../base/errors.ts'
import { observer } from '../../observing/observer-schema.ts'
import { callable, implementing } from '../../schema/scalars.ts'
import { checked, kindOf } from '../../schema/schema.ts'
import { array, objectWith, optional } from '../../schema/structures.ts'
import type { StorePorts } from '../../engine/store-ports.ts'
import { journal } from './log-options.ts'

const ports = objectWith<StorePorts>({
  journal,
  blobs: implementing<BlobStore>('a blob store', ['write', 'open', 'delete', 'list', 'discardUnfinished']),
  clock: implementing<Clock>('a clock', ['now', 'monotonic']),
  ids: implementing<Ids>('what makes ids', ['next']),
  hashing: implementing<Hashing>('what makes digests', ['create', 'sha256', 'crc32']),
  witness: optional(implementing<Witness>('a witness', ['read', 'write'])),
  confirmation: optional(implementing<Confirmation>('a confirmation', ['confirmed'])),
  copies: optional(array(implementing<Copy>('a copy', ['open', 'sideRow']))),
  erasureCopies: optional(implementing<ErasureCopies>('copies that lose what is erased', ['behind'])),
  reserve: optional(implementing<Reserve>('a reserve', ['exhausted'])),
  ciphers: optional(implementing<Ciphers>('ciphers', ['seal', 'open', 'derive', 'random'])),
  keyring: optional(implementing<Keyring>('a keyring', ['has', 'wrap', 'unwrap'])),
  secret: optional(implementing<Secret>('a secret', ['read'])),
  secrets: optional(
    implementing<KeySecrets>('a place for the secrets of access keys', [
      'tokenKey',
      'make',
      'put',
      'get',
      'remove',
      'settle',
    ]),
  ),
  signer: optional(
    implementing<LogSigner>('a signer of checkpoints', ['identity', 'sign', 'last', 'keep', 'renew', 'verify']),
  ),
  policies: optional(implementing<PolicyCheck>('a check of policies', ['check'])),
  time: optional(implementing<TimeRecord>('a record of time', ['read', 'write'])),
  openScratch: optional(callable<NonNullable<StorePorts['openScratch']>>()),
  observer: optional(observer),
  timer: optional(implementing<Timer>('a timer', ['pause', 'nextTurn'])),
})

/**
 * Copies the list, not the ports. Ids and times come checked from then on: the store computes with them and writes them to the log.
 * @throws StorageError `InvalidArgument` for a missing or invalid port
 */
export function checkPorts(given: unknown): StorePorts {
  const { clock, ids, ...others } = checked('ports', ports, given)
  return {
    ...others,
    clock: { now: () => timeFrom('now', clock.now()), monotonic: () => timeFrom('monotonic', clock.monotonic()) },
    ids: { next: () => idFrom(ids.next()) },
  }
}

function timeFrom(method: 'now' | 'monotonic', value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw wrongAnswer(`ports.clock.${method}`, 'a finite number', value)
}

const id = /^[0-9a-f]{32}$/

function idFrom(value: unknown): string {
  if (typeof value === 'string' && id.test(value)) return value
  throw wrongAnswer('ports.ids.next', 'a text of 32 lower-case hexadecimal digits', value)
}

const wrongAnswer = (ArgumentName: string, expected: string, value: unknown): StorageError =>
  new StorageError('InvalidArgument', `${ArgumentName} must give ${expected}, not ${kindOf(value)}.`, {
    details: { ArgumentName },
  })
