/** The address of a replica: a bucket, or a directory. */
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nodeHashing, nodePacking, openDirectoryReplica } from '@varve/adapters'
import type { Hashing, ReplicaPorts } from '@varve/core'
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
  /** `create`: makes a replica where there is nothing. @throws StorageError `StoreNotFound`, `UnsupportedFormat`, `BlobFailed` and the like */
  open(options: { readonly create: boolean }): Promise<OpenReplica>
}

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
  async open({ create }) {
    const { blobs, files } = await openDirectoryReplica(path, { create })
    return replica(blobs, files)
  },
})

function bucketAt(url: URL): ReplicaPlace {
  const { options } = bucketAddress(url, 'replica', [])
  return {
    name: `s3://${url.host}${url.pathname}`,
    async open({ create }) {
      const { openS3Replica } = await import('@varve/adapters/s3')
      const { blobs, files } = await openS3Replica({ ...options, create })
      return replica(blobs, files)
    },
  }
}

async function replica(blobs: ReplicaPorts['blobs'], files: ReplicaPorts['files']): Promise<OpenReplica> {
  return { blobs, files, hashing: await nodeHashing(), packing: nodePacking, close: () => blobs.close() }
}
