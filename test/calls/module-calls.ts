/**
 * What the packages export beside stores, by the names of the exports. Whatever a call opens is closed again, and files are in a directory
 * of its own.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryBlobs, memoryJournal } from '@varve/adapters'
import {
  checkBucketName,
  checkKey,
  defineProjection,
  isStorageError,
  observerErrors,
  openEngine,
  openForMaintenance,
  openForReading,
  parseUploadId,
  parseVersionId,
  type Store,
} from '@varve/core'
import { createConnectionServer, listenFor, parseIdentityPolicy, parseTrustPolicy, toWireError } from '@varve/http'
import {
  attachStore,
  backUpStore,
  checkCheckpoint,
  checkErasureReceipt,
  checkLogConsistency,
  checkProof,
  createKeyring,
  exportArchive,
  exportStore,
  file,
  importArchive,
  importFolder,
  importS3,
  importStore,
  inspectReplica,
  loadKeyringFile,
  loadWebhookFile,
  memoryStore,
  migrateStore,
  openStore,
  repairStore,
  restoreStore,
  salvageStore,
  type StoreParts,
  toFile,
  toReadable,
  verifyArchive,
  verifyReplica,
  verifyStore,
  versionIdOf,
} from 'varve'
import {
  combineIdentities,
  createFetchHandler,
  createHandler,
  createIdentity,
  ensureRootCredentials,
  followIdentities,
  identitiesFromEnvironment,
  isS3Error,
  loadIdentityFile,
  parseIdentities,
  parseIpRange,
  parsePolicy,
  presign,
  serve,
  signRequest,
} from 'varve/http'
import { createMetrics } from 'varve/metrics'
import { createTelemetry } from 'varve/opentelemetry'
import { s3Fixture, startS3, testClock } from 'varve/testing'

/** A function that documents it passes errors of the file system and the network unchanged. */
async function systemErrorsAside<T>(act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) return undefined
    throw error
  }
}

async function inScratch<T>(act: (dir: string) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), 'varve-modules-'))
  try {
    return await act(dir)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

/** Texts name files in the directory, however odd they are; what is no text stays what it is. */
const inside = (dir: string, path: unknown): never =>
  (typeof path === 'string' && path !== ''
    ? `${dir}/${path.replaceAll('/', '_').replaceAll('..', '__')}`
    : path) as never

const files = {
  identities: { identities: [{ name: 'ann', accessKeyId: 'ANN', secretAccessKey: 'secret-secret' }] },
  keyring: { master: [Buffer.alloc(32, 1).toString('base64')] },
  webhooks: { webhooks: [{ arn: 'arn:varve:sqs:::audit', url: 'http://localhost/' }] },
}

const loading = (what: keyof typeof files, load: (path: never) => Promise<unknown>) => (path: unknown) =>
  inScratch(async (dir) => {
    await writeFile(join(dir, 'there'), JSON.stringify(files[what]), { mode: 0o600 })
    await load(inside(dir, path))
  })

/** A store with an object, closed. */
async function closedStore(dir: string): Promise<void> {
  const store = await openStore(dir, { lifecycle: false, sweepEveryMs: 0, check: 'none' })
  await store.buckets.create('box')
  await store.objects.put('box', 'k1', 'value')
  await store.close()
}

/** For a store in `there`: `act` gets the directory of all. */
const beside = (act: (dir: string) => Promise<unknown>) =>
  inScratch(async (dir) => {
    await closedStore(join(dir, 'there'))
    await act(dir)
  })

/** For a store, and an archive of its bucket in `there`. */
const besideArchive = (act: (store: Store, dir: string) => Promise<unknown>) =>
  inScratch(async (dir) => {
    const store = await memoryStore({ lifecycle: false, sweepEveryMs: 0 })
    try {
      await store.buckets.create('box')
      await store.objects.put('box', 'k1', 'value')
      await exportArchive(store, join(dir, 'there'), { bucket: 'box', withHistory: true })
      await act(store, dir)
    } finally {
      await store.close()
    }
  })

async function opening(open: (ports: never, options: never) => Promise<Store>, ports: unknown, options: never) {
  const store = await open(ports as never, options)
  await store.close()
}

export const moduleCalls = {
  defineProjection,
  createKeyring,
  async memoryStore(options: never) {
    const store = await memoryStore(options)
    await store.close()
  },
  openStore: (path: unknown, options: never) =>
    inScratch(async (dir) => {
      const store = await openStore(inside(dir, path), options)
      await store.close()
    }),
  /** Mistakes in the parts of the call are passed on; what is missing is added. */
  async openStoreOnParts(parts: unknown, options: never) {
    const [journal, blobs] = [await memoryJournal(), memoryBlobs()]
    const given = typeof parts === 'object' && parts !== null ? { journal, blobs, ...parts } : parts
    const store = await openStore(given as StoreParts, options)
    await store.close()
    await journal.close()
  },
  openStoreReadOnly: (path: unknown, options: never) =>
    beside(async (dir) => {
      const store = await openStore(inside(dir, path), options)
      await store.close()
    }),
  attachStore: (path: unknown, options: never) =>
    inScratch(async (dir) => {
      const store = await openStore(join(dir, 'there'), { lifecycle: false, sweepEveryMs: 0, check: 'none' })
      try {
        const attached = await attachStore(inside(dir, path), options)
        await attached.close()
      } finally {
        await store.close()
      }
    }),
  verifyStore: (path: unknown, options: never) => beside((dir) => verifyStore(inside(dir, path), options)),
  repairStore: (path: unknown, options: never) => beside((dir) => repairStore(inside(dir, path), options)),
  salvageStore: (path: unknown, into: unknown, options: never) =>
    beside((dir) => salvageStore(inside(dir, path), inside(dir, into), options)),
  migrateStore: (path: unknown, to: never, options: never) =>
    beside((dir) => migrateStore(inside(dir, path), to, options)),
  restoreStore: (from: unknown, to: unknown, options: never) =>
    beside((dir) => restoreStore(inside(dir, from), inside(dir, to), options)),
  backUpStore: (path: unknown, to: unknown, options: never) =>
    beside((dir) => backUpStore(inside(dir, path), inside(dir, to), options)),
  inspectReplica: (from: unknown, options: never) => beside((dir) => inspectReplica(inside(dir, from), options)),
  verifyReplica: (from: unknown, options: never) => beside((dir) => verifyReplica(inside(dir, from), options)),
  checkCheckpoint,
  checkErasureReceipt,
  checkLogConsistency,
  checkProof,
  exportArchive: (given: never, to: unknown, options: never) =>
    besideArchive((store, dir) =>
      systemErrorsAside(() => exportArchive(given === null ? store : given, inside(dir, to), options)),
    ),
  exportStore: (from: unknown, to: unknown, options: never) =>
    besideArchive((store, dir) =>
      systemErrorsAside(() => exportStore((from === null ? store : from) as never, inside(dir, to), options)),
    ),
  importStore: (from: unknown, to: unknown, options: never) =>
    besideArchive(async (store, dir) => {
      await exportStore(store, join(dir, 'store'))
      await importStore(inside(dir, from), inside(dir, to), options)
    }),
  importArchive: (given: never, from: unknown, options: never) =>
    besideArchive((store, dir) => importArchive(given === null ? store : given, inside(dir, from), options)),
  importFolder: (given: never, dir: unknown, options: never) =>
    besideArchive((store, own) => importFolder(given === null ? store : given, inside(own, dir), options)),
  /** Whatever the source is, it is not reached. */
  importS3: (given: never, from: never, options: never) =>
    besideArchive((store) => importS3(given === null ? store : given, from, options)),
  verifyArchive: (from: unknown, options: never) =>
    besideArchive((_store, dir) => verifyArchive(inside(dir, from), options)),
  loadKeyringFile: loading('keyring', loadKeyringFile),
  loadWebhookFile: loading('webhooks', loadWebhookFile),
  loadIdentityFile: loading('identities', loadIdentityFile),
  parseTrustPolicy,
  parseIdentityPolicy,
  async followIdentities(configured: never, replace: never) {
    const store = await memoryStore()
    try {
      const unfollow = await followIdentities(store, configured, replace)
      unfollow()
    } finally {
      await store.close()
    }
  },
  ensureRootCredentials: (path: unknown) =>
    inScratch((dir) => systemErrorsAside(() => ensureRootCredentials(inside(dir, path)))),
  async file(path: unknown) {
    await inScratch(async (dir) => {
      await writeFile(join(dir, 'read'), 'bytes')
      for await (const chunk of file(inside(dir, path))) if (chunk.length > 0) break
    })
  },
  toFile: (content: never, path: unknown, options: never) =>
    inScratch((dir) => systemErrorsAside(() => toFile(content, inside(dir, path), options))),
  async toReadable(content: never) {
    const stream = toReadable(content)
    for await (const chunk of stream) if (chunk !== undefined) break
  },
  async createHandler(options: never) {
    await createHandler(options)
  },
  async createFetchHandler(options: never) {
    await createFetchHandler(options)
  },
  async answer(options: never, request: never) {
    const handler = await createFetchHandler(options)
    await (await handler(request)).text()
  },
  async serve(options: never, closing: never) {
    const server = await systemErrorsAside(() => serve(options))
    try {
      await server?.close(closing)
    } finally {
      await server?.close({ graceMs: 0 })
    }
  },
  async createConnectionServer(options: never, closing: never) {
    const service = createConnectionServer(options)
    try {
      await service.close(closing)
    } finally {
      await service.close({ graceMs: 0 })
    }
  },
  async listenFor(take: never, options: never) {
    const listener = await systemErrorsAside(() => listenFor(take, options))
    listener?.close()
  },
  async startS3(options: never) {
    const s3 = await systemErrorsAside(() => startS3(options))
    await s3?.stop()
  },
  async s3Fixture(options: never, prepare: never) {
    const fixture = s3Fixture(options, prepare)
    await systemErrorsAside(() => fixture({}, async () => undefined))
  },
  testClock,
  toWireError,
  isStorageError,
  isS3Error,
  createIdentity,
  combineIdentities,
  parseIdentities,
  identitiesFromEnvironment,
  parseIpRange,
  parsePolicy,
  presign,
  signRequest,
  openEngine: (given: unknown, options: never) => opening(openEngine, given, options),
  openForMaintenance: (given: unknown, options: never) => opening(openForMaintenance, given, options),
  openForReading: (given: unknown, options: never) => opening(openForReading, given, options),
  checkBucketName,
  checkKey,
  observerErrors,
  parseVersionId,
  versionIdOf,
  parseUploadId,
  // The metrics of the process are the same however often they are asked for, and take long.
  createTelemetry: (options: unknown) => createTelemetry(options as never),
  createMetrics: (options: unknown) => createMetrics(options as never).text(),
}
