import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decryptedReplica, type Keyring, unwrapSecret, wrapSecret } from '@varve/core'
import { blobStoreContract, replicaFilesContract } from '@varve/core/contracts'
import { afterEach, beforeEach, describe, it } from 'vitest'
import { nodeCiphers } from '../ciphers/node-ciphers.ts'
import { nodeHashing } from '../hashing/node-hashing.ts'
import { openDirectoryReplica } from './directory-replica.ts'
import { nodePacking } from './node-packing.ts'

const key = nodeCiphers.random(32)

const keyring: Keyring = {
  master: 'master',
  has: () => false,
  wrap: async (_key, secret, context) => wrapSecret(nodeCiphers, key, secret, context),
  unwrap: async (_key, wrapped, context) => unwrapSecret(nodeCiphers, key, wrapped, context),
}

let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'varve-replica-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

async function open() {
  const replica = await openDirectoryReplica(join(directory, 'there'))
  const whole = { ...replica, hashing: await nodeHashing(), packing: nodePacking }
  return decryptedReplica(whole, { ciphers: nodeCiphers, keyring, encrypts: true })
}

async function openFiles() {
  const { files, blobs } = await open()
  return {
    create: files.create.bind(files),
    read: files.read.bind(files),
    list: files.list.bind(files),
    delete: files.delete.bind(files),
    close: () => blobs.close(),
  }
}

const openBlobs = async () => (await open()).blobs

describe('the files of an encrypted replica', () => {
  for (const { name, run } of replicaFilesContract)
    it(name, () => run(async () => ({ instance: await openFiles(), reopen: openFiles })))
})

describe('the blobs of an encrypted replica', () => {
  for (const { name, run } of blobStoreContract)
    it(name, () => run(async () => ({ instance: await openBlobs(), reopen: openBlobs })))
})
