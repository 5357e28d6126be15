import { StorageError } from '../base/errors.ts'

/** The error of a write to a store that is open for reading. */
export const readOnly = (): StorageError => new StorageError('ReadOnly', 'The store is open to be read alone.')

/** The error of a write to a store that follows another one. */
export const followsAnother = (): StorageError =>
  new StorageError('ReadOnly', 'The store follows a replica and is read-only.', {
    details: { kind: 'following' },
    hint: 'Write to the store that it follows, or make this one an ordinary store with `varve promote`.',
  })
