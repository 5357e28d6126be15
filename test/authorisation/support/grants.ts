/** Where a schedule begins: by what right the victim may do something. */
import type { Store } from '@varve/core'
import type { Identity } from '@varve/http'
import { bobsPolicy, everybodys, open, policyOf } from './changes.ts'
import { actorOf, alice, bob } from './people.ts'
import type { Scene } from './requests.ts'
import { SteppedStore } from './stepped-store.ts'

export interface Grant {
  readonly title: string
  /** Absent: anonymous. */
  readonly victim: Identity | undefined
  give(store: Store, bucket: string): Promise<unknown>
}

const policy = (statement: object) => (store: Store, bucket: string) =>
  store.buckets.settings.put(bucket, 'Policy', policyOf(bucket, statement))

const ifOpen = { StringEquals: { 's3:ExistingObjectTag/open': 'yes' } }

async function byLists(store: Store, bucket: string): Promise<void> {
  const { settings } = store.buckets
  const grants = [...everybodys('READ'), ...everybodys('WRITE').slice(1)]
  await settings.put(bucket, 'Acl', { owner: 'alice', grants })
  if (bucket === 'empty') return
  const acl = { owner: 'alice', grants: everybodys('READ') }
  await store.objects.annotate(bucket, 'k', { kind: 'acl', value: acl })
}

export const grants: readonly Grant[] = [
  { title: 'a policy', victim: bob, give: policy(bobsPolicy) },
  { title: 'a policy for open objects', victim: bob, give: policy({ ...bobsPolicy, Condition: ifOpen }) },
  { title: 'a public policy', victim: undefined, give: policy({ Effect: 'Allow', Principal: '*' }) },
  { title: 'lists', victim: bob, give: byLists },
  { title: 'lists for everybody', victim: undefined, give: byLists },
  { title: 'ownership', victim: alice, give: async () => undefined },
]

export interface Prepared extends Scene {
  readonly world: SteppedStore
}

export async function prepare({ give, victim }: Grant, versioned: boolean): Promise<Prepared> {
  const world = await SteppedStore.open()
  const { store } = world
  const hers = store.as({ by: actorOf(alice) })
  for (const bucket of ['box', 'from', 'empty']) {
    await hers.buckets.create(bucket, versioned ? { versioning: 'Enabled', settings: { ObjectLock: {} } } : {})
    if (bucket !== 'empty') await hers.objects.put(bucket, 'k', `what is in ${bucket}`, { tags: open })
    await give(store, bucket)
  }
  await hers.objects.put('box', 'also', 'there', { tags: open })
  if (versioned) await store.objects.annotate('box', 'k', { kind: 'legalHold', value: 'OFF' })
  await store.buckets.settings.put('box', 'Tags', open)
  await store.buckets.settings.put('box', 'Website', { indexSuffix: 'index.html' })
  const by = victim === undefined ? { id: 'anonymous', name: 'anonymous' } : actorOf(victim)
  const upload = await store.as({ by }).uploads.create('box', 'up')
  const { etag } = await store.uploads.uploadPart(upload, 1, 'the first part')
  return { world, uploadId: upload.uploadId, etag, at: store.seq }
}
