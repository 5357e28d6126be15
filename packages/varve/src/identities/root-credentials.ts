import { StorageError } from '@varve/core'
import { createIdentity, type Identity } from '@varve/http'
import { newKeyPair } from '../files/key-secrets.ts'
import { isNoSuchFile, placePrivateJson, placeUnlessTaken } from '../files/private-file.ts'
import { loadIdentityFile } from './identity-file.ts'

/** The root identity of a data directory, and whether it is new. */
export interface RootCredentials {
  readonly identity: Identity
  /** True when this call created the key pair: the time to show the secret to its owner. */
  readonly created: boolean
}

/**
 * The root key pair of an identity file. If the file does not exist, the pair is created and stored (mode 0600,
 * durable, atomic). If several callers do so at once, one creates it and all get the same pair.
 * @throws InvalidArgument when the file exists and cannot be used; it is never overwritten
 */
export async function ensureRootCredentials(path: string): Promise<RootCredentials> {
  const found = await existing(path)
  if (found !== undefined) return { identity: found, created: false }
  const made = createIdentity({
    name: 'root',
    ...newKeyPair(),
    root: true,
  })
  if (await store(path, made)) return { identity: made, created: true }
  const winner = await existing(path)
  if (winner === undefined) throw new StorageError('InvalidArgument', `The root credentials ${path} came and went.`)
  return { identity: winner, created: false }
}

async function existing(path: string): Promise<Identity | undefined> {
  const identities = await loadIdentityFile(path).catch((error: unknown) => {
    if (isNoSuchFile(error)) return []
    throw error
  })
  if (identities.length === 0) return undefined
  const root = identities.find((identity) => identity.root)
  if (root === undefined) throw new StorageError('InvalidArgument', `The identity file ${path} has no root identity.`)
  return root
}

/** Returns false when another file took the name first. */
function store(path: string, { name, accessKeyId, secretAccessKey, root }: Identity): Promise<boolean> {
  const held = { identities: [{ name, accessKeyId, secretAccessKey, root }] }
  return placePrivateJson(path, held, (temporary) => placeUnlessTaken(temporary, path))
}
