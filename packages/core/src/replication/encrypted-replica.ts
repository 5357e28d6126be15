/** A replica whose files and blobs are encrypted on its medium. */
import type { Ciphers, Hashing, Keyring } from '../ports/index.ts'
import { encryptedBlobs } from './encrypted-blobs.ts'
import { EncryptedFiles } from './encrypted-files.ts'
import { ReplicaCipher } from './replica-cipher.ts'
import { ensureReplicaSecret, findReplicaSecret } from './replica-key.ts'
import type { ReplicaPorts } from './replica-reader.ts'

/** With what a replica is encrypted. */
export interface ReplicaEncryption {
  readonly ciphers: Ciphers
  /** Has the master key that wraps the secret of the replica. */
  readonly keyring: Keyring | undefined
  /** A new replica is to be encrypted. One that is encrypted stays so without it. @default false */
  readonly encrypts?: boolean
}

/**
 * The replica as it is without encryption. One that is not encrypted is returned as it is.
 * @throws StorageError `KeyUnavailable`; `InvalidArgument` if it was begun without encryption and is to have it; `ReplicaCorrupt`,
 * `UnsupportedFormat`; what the medium throws
 */
export async function decryptedReplica<R extends ReplicaPorts & { readonly hashing: Hashing }>(
  replica: R,
  { ciphers, keyring, encrypts = false }: ReplicaEncryption,
): Promise<Omit<R, 'files' | 'blobs'> & Pick<ReplicaPorts, 'files' | 'blobs'>> {
  const { files, blobs, hashing } = replica
  const keys = { files, ciphers, keyring }
  const secret = await (encrypts ? ensureReplicaSecret(keys) : findReplicaSecret(keys))
  if (secret === undefined) return replica
  const cipher = new ReplicaCipher({ ciphers, hashing }, secret)
  return { ...replica, files: new EncryptedFiles(files, cipher), blobs: encryptedBlobs(blobs, cipher) }
}
