/** What another principal changes while a request is under way. */
import type { AccessControlList, Store } from '@varve/core'
import { actorOf, alice, carol } from './people.ts'

type Bucket = 'box' | 'from' | 'empty'
type Change = (store: Store, bucket: Bucket) => Promise<unknown>

export const policyOf = (bucket: string, statement: object): string =>
  JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      {
        Action: ['s3:*', 'varve:ReadHistory'],
        Resource: [`arn:aws:s3:::${bucket}`, `arn:aws:s3:::${bucket}/*`],
        ...statement,
      },
    ],
  })

export const open = [{ key: 'open', value: 'yes' }]
const closed = [{ key: 'open', value: 'no' }]
export const bobsPolicy = { Effect: 'Allow', Principal: { AWS: 'bob' } }
export const everybodys = (permission: 'READ' | 'WRITE', owner = 'alice'): AccessControlList['grants'] => [
  { grantee: { id: owner }, permission: 'FULL_CONTROL' },
  { grantee: { group: 'AllUsers' }, permission },
]
const hisOwn = (owner: string): AccessControlList => ({
  owner,
  grants: [{ grantee: { id: owner }, permission: 'FULL_CONTROL' }],
})

const blocked = { blockPublicAcls: true, ignorePublicAcls: true, blockPublicPolicy: true, restrictPublicBuckets: true }

async function recreate(store: Store, bucket: Bucket): Promise<void> {
  for await (const { key, versionId } of store.versions.list(bucket) as AsyncIterable<{
    readonly key: string
    readonly versionId: string
  }>) {
    await store.objects.delete(bucket, key, { versionId, bypassGovernance: true })
  }
  await store.buckets.delete(bucket)
  const hers = store.as({ by: actorOf(carol) })
  await hers.buckets.create(bucket)
  if (bucket !== 'empty') await hers.objects.put(bucket, 'k', "carol's secret")
}

export const changes: Readonly<Record<string, Change>> = {
  'takes the policy away': (store, bucket) => store.buckets.settings.remove(bucket, 'Policy'),
  'denies everything': (store, bucket) =>
    store.buckets.settings.put(bucket, 'Policy', policyOf(bucket, { ...bobsPolicy, Effect: 'Deny' })),
  'allows everything again': (store, bucket) =>
    store.buckets.settings.put(bucket, 'Policy', policyOf(bucket, bobsPolicy)),
  'closes the list of the bucket': (store, bucket) => store.buckets.settings.remove(bucket, 'Acl'),
  'opens the list of the bucket': (store, bucket) =>
    store.buckets.settings.put(bucket, 'Acl', { owner: 'alice', grants: everybodys('READ') }),
  'enforces the owner': (store, bucket) => store.buckets.settings.put(bucket, 'Ownership', 'BucketOwnerEnforced'),
  'lets writers own': (store, bucket) => store.buckets.settings.put(bucket, 'Ownership', 'ObjectWriter'),
  'blocks what is public': (store, bucket) => store.buckets.settings.put(bucket, 'PublicAccessBlock', blocked),
  'blocks nothing': (store, bucket) => store.buckets.settings.remove(bucket, 'PublicAccessBlock'),
  'tags it closed': (store, bucket) => store.objects.annotate(bucket, 'k', { kind: 'tags', value: closed }),
  'tags it open': (store, bucket) => store.objects.annotate(bucket, 'k', { kind: 'tags', value: open }),
  'closes the list of the object': (store, bucket) =>
    store.objects.annotate(bucket, 'k', { kind: 'acl', value: hisOwn('alice') }),
  'opens the list of the object': (store, bucket) =>
    store.objects.annotate(bucket, 'k', { kind: 'acl', value: { owner: 'alice', grants: everybodys('READ') } }),
  'writes over it, as another': (store, bucket) =>
    store.as({ by: actorOf(carol) }).objects.put(bucket, 'k', "carol's in a bucket of another"),
  'writes over it, privately': (store, bucket) =>
    store.as({ by: actorOf(alice) }).objects.put(bucket, 'k', 'private', { tags: closed }),
  'writes over it, openly': (store, bucket) =>
    store.as({ by: actorOf(alice) }).objects.put(bucket, 'k', 'public again', {
      tags: open,
      acl: { owner: 'alice', grants: everybodys('READ') },
    }),
  'deletes it': (store, bucket) => store.objects.delete(bucket, 'k'),
  'keeps versions': (store, bucket) => store.buckets.setVersioning(bucket, 'Enabled'),
  'makes it the bucket of another': recreate,
}

/** What is impossible at that moment is no change. */
export const change = (name: string, store: Store, bucket: Bucket): Promise<unknown> =>
  (changes[name] as Change)(store, bucket).catch(() => undefined)
