import { randomBytes, randomInt } from 'node:crypto'
import { link, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { StorageError } from '@varve/core'
import { createIdentity, type Identity } from './identity.ts'
import { loadIdentityFile } from './identity-file.ts'

export interface RootCredentials {
  readonly identity: Identity
  /** True when this call made them: the moment to show the secret to its owner. */
  readonly created: boolean
}

const upperAlphanumeric = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const alphanumeric = `${upperAlphanumeric}abcdefghijklmnopqrstuvwxyz`
const withoutLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

/**
 * The root key pair of an identity file, made and stored (0600, durably, all or nothing) when there is no such file yet.
 * Of several callers at once one makes it and all get the same.
 * @throws InvalidArgument when there is a file that cannot be used; it is never overwritten
 */
export async function ensureRootCredentials(path: string): Promise<RootCredentials> {
  const found = await existing(path)
  if (found !== undefined) return { identity: found, created: false }
  const made = createIdentity({
    name: 'root',
    accessKeyId: randomText(20, upperAlphanumeric),
    secretAccessKey: randomText(40, alphanumeric),
    root: true,
  })
  if (await store(path, made)) return { identity: made, created: true }
  const winner = await existing(path)
  if (winner === undefined) throw new StorageError('InvalidArgument', `The root credentials ${path} came and went.`)
  return { identity: winner, created: false }
}

async function existing(path: string): Promise<Identity | undefined> {
  const identities = await loadIdentityFile(path).catch((error: unknown) => {
    if (isMissing(error)) return []
    throw error
  })
  if (identities.length === 0) return undefined
  const root = identities.find((identity) => identity.root)
  if (root === undefined) throw new StorageError('InvalidArgument', `The identity file ${path} has no root identity.`)
  return root
}

function isMissing(error: unknown): boolean {
  const cause = error instanceof StorageError ? error.cause : undefined
  return (cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT'
}

/** False when another file took the name first. */
async function store(path: string, { name, accessKeyId, secretAccessKey, root }: Identity): Promise<boolean> {
  const temporary = `${path}.${randomBytes(8).toString('hex')}.tmp`
  const json = `${JSON.stringify({ identities: [{ name, accessKeyId, secretAccessKey, root }] }, null, 2)}\n`
  try {
    await writeDurably(temporary, json)
    if (!(await place(temporary, path))) return false
    await syncDirectory(dirname(path))
    return true
  } finally {
    await rm(temporary, { force: true })
  }
}

async function writeDurably(path: string, contents: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(contents)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** A link, unlike a rename, refuses a name that is taken; file systems without links get the rename. */
async function place(temporary: string, path: string): Promise<boolean> {
  try {
    await link(temporary, path)
    return true
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return false
    if (!withoutLinks.has(code)) throw error
    await rename(temporary, path)
    return true
  }
}

async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

function randomText(length: number, alphabet: string): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
}
