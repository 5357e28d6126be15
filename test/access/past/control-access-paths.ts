/** Access paths of the control API: all of its operations, and the other forms of their requests and answers. */
import type { VarveAction } from '#http/policies/actions'
import { controlApi } from '#http/control/table'
import { controlRequests } from '#varve/control/control-requests.fixture'
import { type AccessPath, never, type Need, onStore, root } from './access-path.ts'

type Operation = keyof typeof controlApi

/** The rights that each operation needs. Operations that are not here are for root. */
const rights: Partial<Readonly<Record<Operation, readonly VarveAction[]>>> = {
  readLog: ['varve:ReadLog'],
  pageLog: ['varve:ReadLog'],
  countEvents: ['varve:ReadLog'],
  readHistory: ['varve:ReadLog'],
  proveVersion: ['varve:ReadLog'],
  proveEvent: ['varve:ReadLog'],
  proveErasure: ['varve:ReadLog'],
  getLogKey: ['varve:ReadCheckpoints'],
  getCheckpoint: ['varve:ReadCheckpoints'],
  proveConsistency: ['varve:ReadCheckpoints'],
  getLogTile: ['varve:ReadCheckpoints'],
  addCosignature: ['varve:AddCosignature'],
  restoreObjects: ['varve:Restore'],
  undoEvents: ['varve:Undo'],
  eraseVersions: ['varve:Erase'],
  // The request forks a bucket as it was.
  forkBucket: ['varve:ForkBucket', 'varve:ReadHistory'],
  mergeFork: ['varve:MergeFork'],
  dropFork: ['varve:DropFork'],
  createSnapshot: ['varve:CreateSnapshot'],
  listSnapshots: ['varve:ListSnapshots'],
  getSnapshot: ['varve:ListSnapshots'],
  deleteSnapshot: ['varve:DeleteSnapshot'],
  createIdentity: ['varve:CreateIdentity'],
  listIdentities: ['varve:ListIdentities'],
  getIdentity: ['varve:ListIdentities'],
  removeIdentity: ['varve:RemoveIdentity'],
  setIdentityPolicies: ['varve:SetIdentityPolicies'],
  addAccessKey: ['varve:AddAccessKey'],
  revokeAccessKey: ['varve:RevokeAccessKey'],
  listTasks: ['varve:ListTasks'],
  stopTask: ['varve:StopTask'],
  takeSubscription: ['varve:Subscribe'],
  acknowledgeBatch: ['varve:Subscribe'],
  dropSubscription: ['varve:Subscribe'],
  verifyStore: ['varve:Verify'],
  getStatus: ['varve:ReadStatus'],
  getPosition: ['varve:ReadStatus'],
  listJobs: ['varve:ReadStatus'],
  listDamage: ['varve:Verify'],
  getMetrics: ['varve:ReadStatus'],
  listSubscriptions: ['varve:ReadStatus'],
  listProjections: ['varve:ReadStatus'],
  getClock: ['varve:ReadStatus'],
  getUsage: ['varve:ReadStatus'],
  getPrefixUsage: ['varve:ReadUsage'],
  getRetention: ['varve:ReadStatus'],
  planRetention: ['varve:ReadStatus'],
  getDescription: ['varve:ReadStatus'],
}

/** They are for the local socket alone. */
const local: ReadonlySet<Operation> = new Set([
  'acceptClock',
  'setRetention',
  'removeRetention',
  'renewLogKey',
  'openTransaction',
  'commitTransaction',
])

function needOf(operation: Operation): Need {
  if (local.has(operation)) return never
  const needed = rights[operation]
  return needed === undefined ? root : onStore(...needed)
}

const operations = Object.entries(controlRequests) as [Operation, (typeof controlRequests)['readLog']][]

const ofOperation = ([operation, [path, body]]: (typeof operations)[number]): AccessPath => ({
  name: `control: ${operation}`,
  need: needOf(operation),
  request: () => ({
    line: `${controlApi[operation].method} ${path}`,
    ...(body && { body: JSON.stringify(body) }),
    isEndless: true,
  }),
})

const other = (name: string, need: Need, request: AccessPath['request']): AccessPath => ({
  name: `control: ${name}`,
  need,
  request: (place) => ({ isEndless: true, ...request(place) }),
})

const readsTheLog = onStore('varve:ReadLog')
const events = { accept: 'text/event-stream' }

const others: readonly AccessPath[] = [
  other('readLog as events', readsTheLog, () => ({ line: 'GET /-/v1/log', headers: events })),
  other('readLog as events after the first', readsTheLog, () => ({
    line: 'GET /-/v1/log',
    headers: { ...events, 'last-event-id': '1' },
  })),
  other('readLog, followed', readsTheLog, () => ({ line: 'GET /-/v1/log?follow=true' })),
  other('readHistory of a bucket', readsTheLog, ({ past }) => ({
    line: `GET /-/v1/history?bucket=${past.name}&key=k`,
  })),
  other('takeSubscription from the first event', onStore('varve:Subscribe'), ({ past, next }) => ({
    line: 'POST /-/v1/subscriptions/take',
    body: JSON.stringify({ name: next(), from: 1, filter: { bucket: past.name } }),
  })),
  other('restoreObjects', onStore('varve:Restore'), ({ past }) => ({
    line: 'POST /-/v1/restore',
    body: JSON.stringify({ bucket: past.name, to: past.seq, prefix: 'absent' }),
  })),
  other('forkBucket of now', onStore('varve:ForkBucket'), ({ past, next }) => ({
    line: 'POST /-/v1/forks',
    body: JSON.stringify({ bucket: past.name, name: next() }),
  })),
  ...[
    'objects?',
    'versions?',
    'objects/page?limit=9&',
    'content?key=k&',
    'attributes?key=k&',
    'annotations?key=k&',
  ].map((path) =>
    other(`${path} of the past`, root, ({ past }) => ({
      line: `GET /-/v1/${path}bucket=${past.name}&at=${past.seq}`,
    })),
  ),
  other('copyObject from the past', root, ({ past, target, next }) => ({
    line: 'POST /-/v1/copy',
    body: JSON.stringify({ source: { bucket: past.name, key: 'k', at: past.seq }, bucket: target, key: next() }),
  })),
  other('readLog by a URL', never, () => ({ line: 'GET /-/v1/log', signed: 'url' })),
  other('readLog with a signature of version 2', never, () => ({ line: 'GET /-/v1/log', signed: 'version 2' })),
  other('a call in the name of root', never, () => ({
    line: 'GET /-/v1/log',
    headers: { 'content-type': 'application/x-varve-call' },
    signed: 'not',
    body: '{"arguments":{},"by":{"id":"root","name":"root"}}\n',
  })),
]

export const controlAccessPaths: readonly AccessPath[] = [...operations.map(ofOperation), ...others]
