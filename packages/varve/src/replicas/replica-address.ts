/** The address of a replica: a bucket, or a directory. */
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nodeCiphers, nodeHashing, nodePacking, openDirectoryReplica } from '@varve/adapters'
import { decryptedReplica, type Hashing, type Keyring, type ReplicaPorts } from '@varve/core'
import { bucketAddress } from '../addresses/bucket-address.ts'
import { invalidAddress } from '../addresses/invalid-address.ts'

/** A replica whose medium is open. */
export interface OpenReplica extends ReplicaPorts {
  readonly hashing: Hashing
  close(): Promise<void>
}

/** A replica by its address. */
export interface ReplicaPlace {
  /** Its address without parameters. */
  readonly name: string
  /** Its path, if it is a directory. */
  readonly directory?: string
  /**
   * `create`: makes a replica where there is nothing.
   * @throws StorageError `StoreNotFound`, `UnsupportedFormat`, `KeyUnavailable`, `BlobFailed` and the like
   */
  open(options: ReplicaOpening & ReplicaKeys): Promise<OpenReplica>
}

interface ReplicaOpening {
  readonly create: boolean
}

/** The keys of a replica that is encrypted, or is to be. */
export interface ReplicaKeys {
  readonly keyring?: Keyring | undefined
  /** Encrypt a replica that is made. @default false */
  readonly encrypts?: boolean
}

/** The same replica, opened with these keys. */
export const withKeys = (place: ReplicaPlace, keys: ReplicaKeys): ReplicaPlace => ({
  ...place,
  open: ({ create }) => place.open({ create, ...keys }),
})

const forms = 'The address of a replica is s3://BUCKET/PREFIX, file:///DIRECTORY or the path of a directory.'

/**
 * `s3://BUCKET/PREFIX` with the parameters `region` and `endpoint`, `file:///DIRECTORY`, or the path of a directory. Credentials are
 * those that the AWS SDK finds.
 * @throws StorageError `InvalidArgument` for another address
 */
export function replicaAt(address: string): ReplicaPlace {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url?.protocol === 's3:') return bucketAt(url)
  if (url?.protocol === 'file:') return directoryAt(pathOf(url))
  if (address === '' || (url !== undefined && /^[a-z][a-z0-9+.-]+:\/\//i.test(address)))
    throw invalidAddress('replica', forms)
  return directoryAt(resolve(address))
}

function pathOf(url: URL): string {
  if (url.host !== '' || url.search !== '' || url.pathname === '/') throw invalidAddress('replica', forms)
  try {
    return fileURLToPath(url)
  } catch {
    throw invalidAddress('replica', forms)
  }
}

const directoryAt = (path: string): ReplicaPlace => ({
  name: path,
  directory: path,
  async open({ create, ...keys }) {
    return replica(await openDirectoryReplica(path, { create }), keys)
  },
})

function bucketAt(url: URL): ReplicaPlace {
  const { options } = bucketAddress(url, 'replica', [])
  return {
    name: `s3://${url.host}${url.pathname}`,
    async open({ create, ...keys }) {
      const { openS3Replica } = await import('@varve/adapters/s3')
      return replica(await openS3Replica({ ...options, create }), keys)
    },
  }
}

async function replica(
  { blobs, files }: Pick<ReplicaPorts, 'blobs' | 'files'>,
  { keyring, encrypts = false }: ReplicaKeys,
): Promise<OpenReplica> {
  const close = (): Promise<void> => blobs.close()
  const stored = { blobs, files, hashing: await nodeHashing(), packing: nodePacking, close }
  try {
    return await decryptedReplica(stored, { ciphers: nodeCiphers, keyring, encrypts })
  } catch (error) {
    await close().catch(() => undefined)
    throw error
  }
}
