import { beforeEach, describe, expect, it } from 'vitest'
import type { NotificationTarget } from '../settings/notifications.ts'
import { list } from './answers.fixture.ts'
import { memoryPorts } from './memory-ports.fixture.ts'
import type { NotificationOptions } from './types/index.ts'
import { openEngine } from './open-engine.ts'
import type { Store } from './store.ts'

let store: Store

beforeEach(async () => {
  store = await openEngine(memoryPorts(), { inlineMax: 64 })
  await store.as({ by: { id: 'ann', name: 'Ann' } }).buckets.create('box', { region: 'eu' })
})

const target = (more: Partial<NotificationTarget> = {}): NotificationTarget => ({
  id: 'hook',
  kind: 'Queue',
  arn: 'arn:varve:sqs:::hook',
  events: ['s3:ObjectCreated:*', 's3:ObjectRemoved:*', 's3:ObjectTagging:*', 's3:ObjectAcl:Put'],
  ...more,
})
const notify = (...targets: readonly NotificationTarget[]) =>
  store.buckets.settings.put('box', 'Notifications', { targets })
const received = async (options?: NotificationOptions) =>
  (await list(store.notifications(options))).map(({ target: { id }, record }) => [
    id,
    record.eventName,
    record.s3.object.key,
  ])

describe('notifications', () => {
  it('report what happened to objects, in the order of the log', async () => {
    await notify(target())
    await store.objects.put('box', 'a b/ü', 'v')
    await store.objects.copy({ bucket: 'box', key: 'a b/ü' }, 'box', 'copy')
    await store.objects.annotate('box', 'copy', { kind: 'tags', value: [{ key: 'k', value: 'v' }] })
    await store.objects.annotate('box', 'copy', { kind: 'tags' })
    await store.objects.annotate('box', 'copy', { kind: 'acl', value: { owner: 'ann', grants: [] } })
    await store.objects.delete('box', 'copy')
    await store.buckets.setVersioning('box', 'Enabled')
    const upload = await store.uploads.create('box', 'up')
    await store.uploads.complete(upload, [await store.uploads.uploadPart(upload, 1, 'part')])
    await store.objects.delete('box', 'up')
    expect(await received()).toEqual([
      ['hook', 'ObjectCreated:Put', 'a+b/%C3%BC'],
      ['hook', 'ObjectCreated:Copy', 'copy'],
      ['hook', 'ObjectTagging:Put', 'copy'],
      ['hook', 'ObjectTagging:Delete', 'copy'],
      ['hook', 'ObjectAcl:Put', 'copy'],
      ['hook', 'ObjectRemoved:Delete', 'copy'],
      ['hook', 'ObjectCreated:CompleteMultipartUpload', 'up'],
      ['hook', 'ObjectRemoved:DeleteMarkerCreated', 'up'],
    ])
  })

  it('give the positions of events that have none, in order, before the next event is read', async () => {
    await notify(target())
    await store.objects.put('box', 'one', 'v')
    await store.buckets.setVersioning('box', 'Enabled')
    await store.objects.put('box', 'two', 'v')
    const seen: unknown[] = []
    const onPassed = async (seq: number) => {
      await Promise.resolve()
      seen.push(seq)
    }
    for await (const { record } of store.notifications({ onPassed })) seen.push(record.s3.object.key)
    expect(seen).toEqual([1, 2, 'one', 4, 'two'])
  })

  it('are records as S3 sends them', async () => {
    await notify(target())
    await store.buckets.setVersioning('box', 'Enabled')
    const { versionId, etag, seq } = await store
      .as({ by: { id: 'bob', name: 'Bob' }, requestId: 'R1' })
      .objects.put('box', 'k', 'v')
    const [received] = await list(store.notifications())
    expect(received).toMatchObject({
      seq,
      record: {
        eventVersion: '2.1',
        eventSource: 'aws:s3',
        awsRegion: 'eu',
        eventTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        userIdentity: { principalId: 'bob' },
        responseElements: { 'x-amz-request-id': 'R1' },
        s3: {
          s3SchemaVersion: '1.0',
          configurationId: 'hook',
          bucket: { name: 'box', ownerIdentity: { principalId: 'ann' }, arn: 'arn:aws:s3:::box' },
          object: {
            key: 'k',
            size: 1,
            eTag: etag,
            versionId,
            sequencer: seq.toString(16).padStart(16, '0').toUpperCase(),
          },
        },
      },
    })
  })

  it('go to the targets that the bucket had at the time of the event', async () => {
    await store.objects.put('box', 'before', 'v')
    await notify(target({ id: 'first' }))
    await store.objects.put('box', 'one', 'v')
    await notify(target({ id: 'second' }))
    await store.objects.put('box', 'two', 'v')
    await store.buckets.settings.remove('box', 'Notifications')
    await store.objects.put('box', 'three', 'v')
    expect(await received()).toEqual([
      ['first', 'ObjectCreated:Put', 'one'],
      ['second', 'ObjectCreated:Put', 'two'],
    ])
  })

  it('go by events, prefixes and suffixes', async () => {
    await notify(
      target({ id: 'removed', events: ['s3:ObjectRemoved:Delete'] }),
      target({
        id: 'images',
        events: ['s3:ObjectCreated:Put'],
        filter: [
          { name: 'prefix', value: 'img/' },
          { name: 'suffix', value: '.png' },
        ],
      }),
    )
    for (const key of ['img/a.png', 'img/a.txt', 'a.png']) await store.objects.put('box', key, 'v')
    await store.objects.delete('box', 'img/a.png')
    expect(await received()).toEqual([
      ['images', 'ObjectCreated:Put', 'img/a.png'],
      ['removed', 'ObjectRemoved:Delete', 'img/a.png'],
    ])
  })

  it('go on behind any of them, and of one bucket alone', async () => {
    await notify(target())
    await store.objects.put('box', 'one', 'v')
    await store.objects.put('box', 'two', 'v')
    const [first] = await list(store.notifications())
    expect(await received({ from: (first?.seq ?? 0) + 1 })).toEqual([['hook', 'ObjectCreated:Put', 'two']])
    expect(await received({ bucket: 'other' })).toEqual([])
  })

  it('reach a follower as they happen', async () => {
    await notify(target())
    const end = new AbortController()
    const follows = store.notifications({ follow: true, signal: end.signal })[Symbol.asyncIterator]()
    const next = follows.next()
    await store.objects.put('box', 'k', 'v')
    expect(await next).toMatchObject({ value: { record: { eventName: 'ObjectCreated:Put' } } })
    end.abort(new Error('enough'))
    await expect(follows.next()).rejects.toThrow('enough')
  })
})
