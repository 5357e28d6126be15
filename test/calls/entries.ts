/** Every method of a store and what is exported beside stores, with arguments that are right. A method that is added has no entry until one is written here. */
import type {
  Buckets,
  BucketSettings,
  Keys,
  Keyspace,
  Keyspaces,
  Objects,
  OpenProjection,
  Projections,
  ReadBuckets,
  ReadBucketSettings,
  ReadObjects,
  ReadVersions,
  Identities,
  Snapshots,
  Tasks,
  StoreRetention,
  StoreTime,
  Transaction,
  Subscriptions,
  Uploads,
  Versions,
} from '@varve/core'
import { StorageError, type StoreEvents, type Store } from 'varve'
import { createIdentity, S3Error } from 'varve/http'
import { archiveEntries } from './archive-entries.ts'
import { pathEntries } from './path-entries.ts'
import { layouts, masterKey, newBucket, page, reading, signal, signing, toSign } from './common-arguments.ts'
import { settings } from './settings.ts'
import type { moduleCalls } from './module-calls.ts'
import { ports } from './ports.ts'
import { testServerOptions } from './test-server-options.ts'
import { identityEntries, policyEntries } from './identity-entries.ts'
import { checkEntries, proofEntries } from './proof-entries.ts'
import { retentionEntries } from './retention-entries.ts'
import type { World } from './world.ts'

/** Right arguments, made anew for each call. */
export type Entry = (world: World) => unknown[]
type Methods<T> = { readonly [K in keyof T as T[K] extends (...given: never[]) => unknown ? K : never]: Entry }

/** Closing ends the round: these are called at its end, by themselves. */
type Ending = 'close' | typeof Symbol.asyncDispose

export interface Entries {
  readonly store: Omit<Methods<Store>, Ending>
  readonly buckets: Methods<Buckets>
  readonly settings: Methods<BucketSettings>
  readonly objects: Methods<Objects>
  readonly versions: Methods<Versions>
  readonly uploads: Methods<Uploads>
  readonly keys: Methods<Keys>
  readonly keyspaces: Methods<Keyspaces>
  readonly keyspace: Methods<Keyspace>
  readonly projections: Methods<Projections>
  readonly projection: Methods<OpenProjection<unknown>>
  readonly subscriptions: Methods<Subscriptions>
  readonly clock: Methods<StoreTime>
  readonly retention: Methods<StoreRetention>
  readonly snapshots: Methods<Snapshots>
  readonly proofs: Methods<Store['proofs']>
  readonly identities: Methods<Identities>
  readonly tasks: Methods<Tasks>
  readonly events: Methods<StoreEvents>
  readonly pastBuckets: Methods<ReadBuckets>
  readonly pastSettings: Methods<ReadBucketSettings>
  readonly pastObjects: Methods<ReadObjects>
  readonly pastVersions: Methods<ReadVersions>
  readonly modules: Methods<typeof moduleCalls>
}

const writing = () => ({
  contentType: 'text/plain',
  cacheControl: 'no-store',
  metadata: { colour: 'green', size: 'large' },
  tags: [{ key: 'a', value: 'b' }],
  acl: { owner: 'ann', grants: [{ grantee: { id: 'ann' }, permission: 'FULL_CONTROL' }] },
  storageClass: 'STANDARD',
})
const checking = () => ({ checksum: { algorithm: 'CRC32' }, contentMD5: undefined, sha256: undefined })
const lock = () => ({ retention: { mode: 'GOVERNANCE', until: Date.now() + 60_000 }, legalHold: 'OFF' })

const identity = () => ({ name: 'ann', id: 'ann', accessKeyId: 'ANN', secretAccessKey: 'secret-secret', root: true })
const policy = () => ({
  Version: '2012-10-17',
  Statement: [
    {
      Effect: 'Allow',
      Action: ['s3:GetObject', 's3:Put*'],
      Resource: 'arn:aws:s3:::box/*',
      Condition: { IpAddress: { 'aws:SourceIp': ['10.0.0.0/8'] } },
    },
  ],
})
const service = ({ store }: World) => ({
  store,
  identities: [identity()],
  dialect: 'aws',
  region: 'eu',
  signingRegions: ['eu'],
  hostSuffixes: ['localhost'],
  bucketDefaults: 'open',
  keepAliveAfterMs: 10,
  documentBytesMax: 1000,
  bodyBytesMax: 1_000_000,
  console: './no-such-directory',
  observer: { request: () => undefined, queue: async () => undefined },
})
const handling = (world: World) => ({
  ...service(world),
  log: () => undefined,
  minimumSpeed: { bytesPerSecond: 1, windowMs: 1000 },
  trustedProxies: ['127.0.0.1', '10.0.0.0/8'],
})
const content = () => ({ body: new Blob(['bytes']).stream(), close: async () => undefined })
const opening = () => ({
  lifecycle: false,
  sweepEveryMs: 0,
  check: 'none',
  hashingThreads: 0,
  region: 'eu',
  actor: { id: 'ann', name: 'Ann' },
  inlineMax: 100,
  signal: new AbortController().signal,
  onProgress: () => undefined,
  observer: observer(),
})
const observer = () => ({ commit: () => undefined, job: async () => undefined, cache: () => undefined })
const engine = () => ({ region: 'eu', inlineMax: 10, actor: { id: 'ann', name: 'Ann' }, onProgress: () => undefined })
const verifying = () => ({ blobs: 'present', signal: new AbortController().signal, onProgress: () => undefined })
const errors = [
  () => new StorageError('NoSuchKey', 'none'),
  () => new S3Error('AccessDenied', 'no'),
  () => new Error('no'),
]
const projection = (world: World) => ({
  name: `projection-${world.number(3)}`,
  version: world.number(3),
  init: () => 0,
  key: () => ['a', 'b'],
  on: { VersionAdded: (state: number) => state + 1 },
})

const annotations = [
  { kind: 'tags', value: [{ key: 'a', value: 'b' }] },
  { kind: 'acl', value: { owner: 'ann', grants: [{ grantee: { group: 'AllUsers' }, permission: 'READ' }] } },
  { kind: 'retention', value: { mode: 'GOVERNANCE', until: 4_000_000_000_000 } },
  { kind: 'legalHold', value: 'ON' },
  { kind: 'tags' },
]

const bodies = (world: World): unknown =>
  world.pick<() => unknown>([
    () => 'text',
    () => new Uint8Array(10),
    () => new Uint8Array(70_000),
    () => new ArrayBuffer(5),
    () => new Blob(['blob']),
    () => new Blob(['stream']).stream(),
    () => ['one', new Uint8Array(3)],
    async function* () {
      yield 'chunk'
      yield new Uint8Array(4)
    },
  ])()

export const entries: Entries = {
  store: {
    as: () => [{ by: { id: 'ann', name: 'Ann' }, requestId: 'r1' }],
    tracking: () => [[]],
    expireReads: () => [60_000],
    at: (world) => [world.pick([world.store.seq, new Date(), 0, 1])],
    log: (world) => [
      {
        from: 1,
        to: world.store.seq,
        ...(world.number(2) === 0 && { since: new Date(0), until: world.store.seq }),
        ...(world.number(2) === 0 && { bucket: 'box', prefix: 'k', by: 'ann', types: ['VersionAdded'] }),
        follow: false,
        signal: new AbortController().signal,
      },
    ],
    erase: (world) => [
      {
        bucket: 'box',
        key: world.key(),
        versions: [world.versionId(), world.number(30)],
        live: world.number(1) === 0,
        dryRun: world.number(1) === 0,
        onProgress: () => undefined,
      },
    ],
    diff: (world) => [
      { bucket: 'box', prefix: 'k' },
      world.pick([0, new Date(0), world.store.seq - 1]),
      world.store.seq,
      { limit: 10, after: 'k', signal: new AbortController().signal },
    ],
    history: () => ['box', 'k1', { signal: new AbortController().signal }],
    restore: (world) => [
      {
        bucket: 'box',
        prefix: 'k',
        to: world.pick([1, new Date(), world.store.seq]),
        dryRun: false,
        onConflict: 'skip',
        strict: false,
        inParts: true,
        onProgress: () => undefined,
        signal: new AbortController().signal,
      },
    ],
    merge: () => [
      {
        fork: 'box-try',
        prefix: 'k',
        dryRun: false,
        onConflict: 'skip',
        inParts: true,
        onProgress: () => undefined,
        signal: new AbortController().signal,
      },
    ],
    undo: (world) => [
      {
        from: world.pick([world.store.seq - 1, new Date()]),
        to: world.store.seq,
        by: 'local',
        requestId: 'r1',
        bucket: 'box',
        prefix: 'k',
        types: ['VersionAdded'],
        dryRun: false,
        onConflict: 'skip',
        inParts: true,
        onProgress: () => undefined,
        signal: new AbortController().signal,
      },
    ],
    deletePrefix: (world) => ['box', world.key(), { onProgress: () => undefined, ...signal() }],
    emptyBucket: () => ['other', { bypassGovernance: true, onOutcome: () => undefined }],
    transaction: (world) => [
      async (own: Transaction) => own.objects.put('box', world.key(), 'in a transaction'),
      { attempts: 3, signal: new AbortController().signal },
    ],
    notifications: (world) => [
      { from: Math.max(1, world.store.seq - 5), to: world.store.seq, bucket: 'box', onPassed: () => undefined },
    ],
    subscribe: (world) =>
      world.number(2) === 0
        ? [() => undefined]
        : [
            `reader-${world.number(5)}`,
            {
              from: world.pick([0, new Date(0)]),
              filter: { bucket: 'box', prefix: 'k', types: ['VersionAdded'] },
              replace: true,
              batchMax: 3,
              leaseMs: 100,
              signal: AbortSignal.abort(),
            },
          ],
    replay: (world) => [world.scratch(), { signal: new AbortController().signal, onProgress: () => undefined }],
    rebuild: () => [{ onProgress: () => undefined }],
    verify: () => [{ blobs: 'present', views: 'check', onDivergence: () => undefined, onProgress: () => undefined }],
    scrub: () => [{ from: { stage: 'log', after: '1' }, onDivergence: () => undefined }],
    sweep: () => [{ orphans: true }],
    promote: () => [{ takeOver: true, withoutReplica: false }],
    logPage: (world) => [{ before: world.number(50) + 1, limit: 5, readsMax: 20, bucket: 'box', prefix: 'k' }],
    density: (world) => [{ since: 0, until: world.store.seq, steps: 10, readsMax: 100, bucket: 'box', prefix: 'k' }],
    usage: () => [{ bucket: 'box' }],
    prefixUsage: () => ['box', { prefix: 'k', delimiter: '/', limit: 10, after: 'k' }],
    applyLifecycle: () => [{ signal: new AbortController().signal }],
  },
  buckets: {
    create: (world) => [`new-${world.number(1e6)}`, newBucket()],
    ensure: (world) => [`new-${world.number(20)}`, newBucket()],
    exists: () => ['box', {}],
    fork: (world) => ['box', `fork-${world.number(4)}`, { at: world.number(9) }],
    drop: (world) => [`fork-${world.number(4)}`, {}],
    delete: (world) => [`new-${world.number(20)}`, {}],
    head: () => ['box', {}],
    list: () => [{ prefix: 'b' }],
    getLocation: () => ['box', {}],
    getVersioning: () => ['box', {}],
    setVersioning: (world) => [world.pick(['box', 'other']), world.pick(['Enabled', 'Suspended']), {}],
  },
  settings: {
    get: (world) => ['box', world.pick(Object.keys(settings)), {}],
    all: () => ['box', {}],
    put(world) {
      const kind = world.pick(Object.keys(settings))
      return ['box', kind, structuredClone(settings[kind as keyof typeof settings]), {}]
    },
    remove: (world) => ['box', world.pick(Object.keys(settings)), {}],
  },
  objects: {
    put: (world) => [
      world.pick(['box', 'locked']),
      world.key(),
      bodies(world),
      { ...writing(), ...checking(), ...(world.number(4) === 0 && lock()) },
    ],
    copy: (world) => [
      { bucket: 'box', key: world.key(), conditions: { ifMatch: ['*'] } },
      'box',
      world.key(),
      { ...writing(), metadataDirective: 'REPLACE', taggingDirective: 'COPY', checksumAlgorithm: 'SHA256' },
    ],
    delete: (world) => ['box', world.key(), { ifMatch: '*', bypassGovernance: true }],
    deleteMany: (world) => ['box', [{ key: world.key() }, { key: world.key(), versionId: 'null' }]],
    annotate: (world) => [
      world.pick(['box', 'locked']),
      world.key(),
      structuredClone(world.pick(annotations)),
      { bypassGovernance: true },
    ],
    get: (world) => ['box', world.key(), { ...reading(), thrifty: true, reuseBuffers: false }],
    head: (world) => ['box', world.key(), reading()],
    exists: (world) => ['box', world.key(), reading()],
    attributes: (world) => ['box', world.key(), { parts: { after: 0, limit: 5 }, needsKey: false }],
    annotations: (world) => ['box', world.key(), { versionId: world.versionId() }],
    list: () => ['box', { ...page(), after: 'a' }],
    listPage: () => ['box', { ...page(), after: 'a' }],
  },
  versions: {
    delete: (world) => ['box', world.key(), world.versionId(), { bypassGovernance: true }],
    get: (world) => ['box', world.key(), world.versionId(), reading()],
    head: (world) => ['box', world.key(), world.versionId(), reading()],
    list: () => ['box', { ...page(), keyMarker: 'k', markers: 'inclusive' }],
    listPage: (world) => ['box', { ...page(), keyMarker: 'k1', versionIdMarker: world.versionId() }],
  },
  uploads: {
    create: (world) => ['box', world.key(), { ...writing(), checksumAlgorithm: 'CRC32', checksumType: 'FULL_OBJECT' }],
    idOf: () => [{ bucket: 'box', key: 'k1', upload: 1, epoch: '3f9k2m1x' }],
    head: (world) => [world.upload()],
    uploadPart: (world) => [world.upload(), 1 + world.number(3), bodies(world), checking()],
    copyPart: (world) => [
      world.upload(),
      1,
      { bucket: 'box', key: world.key(), range: { start: 0, end: 1 }, conditions: {} },
      {},
    ],
    complete: (world) => [
      world.upload(),
      [{ partNumber: 1, etag: 'x', checksum: { algorithm: 'CRC32', value: 'AAAAAA==' } }],
      { repeatable: true, everyPartChecksum: false, partSizeMin: 0, size: 10, checksumType: 'FULL_OBJECT' },
    ],
    abort: (world) => [world.upload(), {}],
    list: () => ['box', { ...page(), keyMarker: 'k' }],
    listPage: () => ['box', { ...page(), keyMarker: 'k' }],
    listParts: (world) => [world.upload(), {}],
    listPartsPage: (world) => [world.upload(), { after: 0, limit: 3 }],
  },
  keys: { list: () => [], rotate: () => [] },
  keyspaces: {
    open: (world) => [`index-${world.number(5)}`, { version: world.number(3), reducer: () => undefined }],
    list: () => [],
    drop: (world) => [`index-${world.number(5)}`],
  },
  projections: {
    open: (world) => [projection(world)],
    list: () => [],
    drop: (world) => [`projection-${world.number(3)}`],
  },
  projection: {
    get: (world) => [world.key()],
    range: () => [{ prefix: 'k', reverse: true, limit: 5, ...signal() }],
    caughtUp: (world) => [world.store.seq],
    close: () => [],
  },
  subscriptions: { list: () => [], drop: (world) => [`reader-${world.number(5)}`] },
  keyspace: {
    get: (world) => [new Uint8Array([world.number(4)])],
    getMany: (world) => [[new Uint8Array([world.number(4)]), new Uint8Array(2)]],
    range: () => [{ gte: new Uint8Array(1), lt: new Uint8Array([4]), reverse: true, limit: 5, ...signal() }],
    commit: (world) => [
      {
        to: world.store.seq,
        changes: [
          { key: new Uint8Array([world.number(4)]), value: new Uint8Array(world.number(50)) },
          { key: new Uint8Array([world.number(4)]), value: null },
        ],
      },
    ],
    follow: () => [signal()],
    clear: () => [],
    drop: () => [],
  },
  events: {
    on: () => ['event', () => undefined],
    once: () => ['event', () => undefined],
    off: () => ['event', () => undefined],
    removeAllListeners: () => ['event'],
    listenerCount: () => ['event'],
  },
  clock: { status: () => [], observe: () => [], accept: () => [] },
  retention: retentionEntries,
  proofs: proofEntries,
  snapshots: {
    create: (world) => [`s${world.number(500)}`, { at: world.number(3), bucket: 'box' }],
    list: () => [],
    get: (world) => [`s${world.number(500)}`],
    delete: (world) => [`s${world.number(500)}`],
  },
  identities: identityEntries,
  tasks: { list: () => [], stop: () => ['none'] },
  pastBuckets: {
    list: () => [{ prefix: 'b' }],
    head: () => ['box', {}],
    exists: () => ['box', {}],
    getLocation: () => ['box', {}],
    getVersioning: () => ['box', {}],
  },
  pastSettings: {
    get: (world) => ['box', world.pick(Object.keys(settings)), {}],
    all: () => ['box', {}],
  },
  pastObjects: {
    get: (world) => ['box', world.key(), reading()],
    head: (world) => ['box', world.key(), reading()],
    exists: (world) => ['box', world.key(), reading()],
    attributes: (world) => ['box', world.key(), { parts: { after: 0, limit: 5 } }],
    annotations: (world) => ['box', world.key(), { versionId: world.versionId() }],
    list: () => ['box', { ...page(), after: 'a' }],
    listPage: () => ['box', { ...page(), after: 'a' }],
  },
  pastVersions: {
    get: (world) => ['box', world.key(), world.versionId(), reading()],
    head: (world) => ['box', world.key(), world.versionId(), reading()],
    list: () => ['box', { ...page(), keyMarker: 'k', markers: 'inclusive' }],
    listPage: (world) => ['box', { ...page(), keyMarker: 'k1', versionIdMarker: world.versionId() }],
  },
  modules: {
    defineProjection: (world) => [projection(world)],
    ...checkEntries,
    createKeyring: () => [{ master: [masterKey], keys: { name: masterKey } }],
    memoryStore: () => [{ lifecycle: false, sweepEveryMs: 0, region: 'eu', observer: observer() }],
    openStoreOnParts: () => [
      { secret: { read: async () => new Uint8Array(32) } },
      { lifecycle: false, sweepEveryMs: 0, sweepOrphans: false, onProgress: () => undefined },
    ],
    openStore: (world) => ['new', { ...opening(), layout: world.pick(layouts), create: true, sweepOrphans: false }],
    openStoreReadOnly: () => ['there', { ...opening(), readOnly: true }],
    attachStore: () => ['there', { answerMs: 1000, ...signal() }],
    verifyStore: () => ['there', { ...verifying(), views: 'check', onDivergence: () => undefined, readOnly: true }],
    repairStore: () => ['there', verifying()],
    salvageStore: () => ['there', 'saved', { signal: new AbortController().signal, onProgress: () => undefined }],
    migrateStore: (world) => ['there', world.pick(layouts), { onProgress: () => undefined }],
    ...pathEntries,
    ...archiveEntries,
    toFile: () => [content(), 'written', { signal: new AbortController().signal, mode: 0o600 }],
    toReadable: () => [content()],
    createHandler: (world) => [handling(world)],
    createFetchHandler: (world) => [service(world)],
    answer: (world) => [service(world), new Request('http://localhost/box/k1')],
    serve: (world) => [{ ...handling(world), port: 0, connectionsMax: 5, idleTimeoutMs: 1000 }, { graceMs: 100 }],
    createConnectionServer: (world) => [
      { ...handling(world), hashing: ports.hashing, connectionsMax: 5 },
      { graceMs: 100 },
    ],
    startS3: () => [testServerOptions()],
    s3Fixture: () => [testServerOptions(), () => undefined],
    testClock: () => [1000],
    listenFor: () => [() => undefined, { port: 0 }],
    toWireError: (world) => [world.pick(errors)()],
    isStorageError: (world) => [world.pick(errors)(), 'NoSuchKey'],
    isS3Error: (world) => [world.pick(errors)(), 'AccessDenied'],
    createIdentity: () => [{ ...identity(), displayName: 'Ann', email: 'ann@example.org' }],
    combineIdentities: () => [
      [createIdentity(identity())],
      [createIdentity({ ...identity(), name: 'bob', id: 'bob' })],
    ],
    parseIdentities: () => [{ identities: [{ ...identity(), root: false, policy: policy() }] }],
    identitiesFromEnvironment: () => [{ VARVE_ACCESS_KEY_ID: 'ANN', VARVE_SECRET_ACCESS_KEY: 'secret-secret' }],
    parseIpRange: (world) => [world.pick(['10.0.0.0/8', '2001:db8::/32', '127.0.0.1'])],
    ...policyEntries,
    followIdentities: () => [[createIdentity(identity())], () => undefined],
    parsePolicy: (world) => [policy(), 'the policy', world.pick(['identity', 'bucket'])],
    presign: () => [toSign(), { ...signing(), expiresSeconds: 60 }],
    signRequest: () => [toSign(), { ...signing(), payloadHash: 'UNSIGNED-PAYLOAD' }],
    openEngine: () => [{ ...ports, observer: observer() }, engine()],
    openForMaintenance: () => [{ ...ports, observer: observer() }, engine()],
    openForReading: () => [{ ...ports, observer: observer() }, engine()],
    checkBucketName: () => ['box'],
    checkKey: () => ['key'],
    observerErrors: () => [observer()],
    parseVersionId: (world) => [world.versionId()],
    versionIdOf: (world) => [{ seq: 1 + world.number(99), epoch: '3f9k2m1x', nullVersion: world.number(2) === 0 }],
    createTelemetry: () => [{}],
    createMetrics: (world) => [{ store: () => world.store, process: false }],
    parseUploadId: (world) => [world.upload().uploadId],
  },
}
