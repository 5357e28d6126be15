import { StorageError } from '../base/errors.ts'

const divergences = {
  store: 'The replica is one of another store.',
  ahead: 'This store has later events than the replica, which has lost its end or goes on from an earlier moment.',
  branch:
    'The replica goes on with other events than this store: another writer has taken it over from an earlier moment.',
} as const

/** The error of a store that follows, and has events that are not part of the replica. It keeps what it has. */
export const diverged = (kind: keyof typeof divergences): StorageError =>
  new StorageError('ReplicaDiverged', divergences[kind], { details: { kind } })
