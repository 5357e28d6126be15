/** What was seen to go wrong once: a request that waits while its bucket, its object or its permission becomes another. */
import { beforeEach, describe, expect, it } from 'vitest'
import { grants, type Grant, type Prepared, prepare } from './support/grants.ts'
import { actorOf, alice } from './support/people.ts'
import type { Sketch } from './support/requests.ts'
import { type Interference, runSchedule } from './support/schedule.ts'

const grantOf = (title: string) => grants.find((grant) => grant.title === title) as Grant
const codeOf = ({ body }: { readonly body: string }) => /<Code>(.*)<\/Code>/.exec(body)?.[1]

/** Every place where it waits, one after another. */
async function everywhere(
  { prepared, grant }: { readonly prepared: Prepared; readonly grant: Grant },
  sketch: Sketch,
  { change: name, bucket }: Omit<Interference, 'at'>,
  check: (outcome: Awaited<ReturnType<typeof runSchedule>>) => Promise<void>,
): Promise<void> {
  const { waits } = await runSchedule(prepared, grant, sketch, { interferences: [], isKnown: false })
  for (let at = 0; at < waits; at++) {
    const interferences = [{ at, change: name, bucket }]
    for (const isKnown of [false, true]) {
      await check(await runSchedule(prepared, grant, sketch, { interferences, isKnown }))
    }
  }
}

describe('a request of the owner that is stalled while its bucket becomes that of another', () => {
  const owner = grantOf('ownership')
  let prepared: Prepared
  beforeEach(async () => {
    prepared = await prepare(owner, false)
  })
  const becomesHers = { change: 'makes it the bucket of another', bucket: 'box' } as const
  const policy = JSON.stringify({
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: 'arn:aws:s3:::box/*' }],
  })

  it('puts no object there', () =>
    everywhere(
      { prepared, grant: owner },
      { line: 'PUT /box/k', body: 'of the first owner' },
      becomesHers,
      async ({ store }) => {
        if ((await store.buckets.head('box')).owner.id === 'alice') return
        expect(await (await store.objects.get('box', 'k')).text()).toBe("carol's secret")
      },
    ))

  it('sets no policy there', () =>
    everywhere(
      { prepared, grant: owner },
      { line: 'PUT /box?policy', body: policy },
      becomesHers,
      async ({ store }) => {
        if ((await store.buckets.head('box')).owner.id === 'alice') return
        expect(await store.buckets.settings.get('box', 'Policy')).toBeUndefined()
      },
    ))

  it('forks nothing of it', async () => {
    const forked = new Set<number>()
    await everywhere(
      { prepared, grant: owner },
      { line: 'PUT /forked', headers: { 'x-varve-fork-source': 'box' } },
      becomesHers,
      async ({ store, answer }) => {
        forked.add(answer.status)
        if (answer.status !== 200) return
        expect(await (await store.objects.get('forked', 'k')).text()).not.toBe("carol's secret")
      },
    )
    expect([...forked]).toEqual(expect.arrayContaining([200, 403]))
  })

  it('lists nothing of it', () =>
    everywhere({ prepared, grant: owner }, { line: 'GET /box?list-type=2' }, becomesHers, async ({ answer }) => {
      if (answer.status === 200) expect(answer.body).toContain('<Key>also</Key>')
      else expect(codeOf(answer)).toMatch(/AccessDenied|NoSuchBucket/)
    }))
})

describe('an ACL that is stalled while another version takes the place of its object', () => {
  it('does not open the new version', async () => {
    const owner = grantOf('ownership')
    const prepared = await prepare(owner, false)
    const acl =
      '<AccessControlPolicy><Owner><ID>alice</ID></Owner><AccessControlList><Grant>' +
      '<Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="Group">' +
      '<URI>http://acs.amazonaws.com/groups/global/AllUsers</URI></Grantee><Permission>READ</Permission>' +
      '</Grant></AccessControlList></AccessControlPolicy>'
    const overwritten = { change: 'writes over it, privately', bucket: 'box' } as const
    const codes = new Set<string | undefined>()
    await everywhere(
      { prepared, grant: owner },
      { line: 'PUT /box/k?acl', body: acl },
      overwritten,
      async ({ store, answer }) => {
        codes.add(codeOf(answer))
        // Where it was begun behind the new version, it is meant for that.
        if (answer.status === 200) return
        expect((await store.objects.annotations('box', 'k')).acl).toBeUndefined()
      },
    )
    expect(codes).toContain('SlowDown')
  })
})

describe('an anonymous GET', () => {
  it('never shows a private body while public and private ones alternate', async () => {
    const everybody = grantOf('lists for everybody')
    for (const versioned of [false, true]) {
      const prepared = await prepare(everybody, versioned)
      for (const [name, body] of [
        ['writes over it, privately', 'private'],
        ['writes over it, as another', "carol's in a bucket of another"],
      ] as const) {
        const replaced = { change: name, bucket: 'box' } as const
        await everywhere({ prepared, grant: everybody }, { line: 'GET /box/k' }, replaced, async ({ answer }) => {
          expect(answer.body).not.toBe(body)
          expect([200, 403]).toContain(answer.status)
        })
      }
    }
  })
})

describe('a request that looks twice', () => {
  it('shows nothing of its bucket as it is when the object may not be read any more', async () => {
    const grant = grantOf('a public policy')
    const prepared = await prepare(grant, false)
    const acl = { line: 'GET /box/k?acl' }
    for (let at = 0; at < 12; at++) {
      const interferences = ['denies everything', 'keeps versions'].map(
        (name) => ({ at, change: name, bucket: 'box' }) as const,
      )
      for (const isKnown of [false, true]) {
        const { answer } = await runSchedule(prepared, grant, acl, { interferences, isKnown })
        expect(answer.headers['x-amz-version-id']).toBeUndefined()
      }
    }
  })
})

describe('a copy', () => {
  it('takes no tags along that its requester may not read', async () => {
    const tagged = grantOf('a policy')
    const prepared = await prepare(tagged, false)
    const { store } = prepared.world
    const readsNoTags = JSON.stringify({
      Version: '2012-10-17',
      Statement: [
        { Effect: 'Allow', Principal: { AWS: 'bob' }, Action: 's3:GetObject', Resource: 'arn:aws:s3:::from/*' },
      ],
    })
    await store.buckets.settings.put('from', 'Policy', readsNoTags)
    await store.as({ by: actorOf(alice) }).objects.put('from', 'k', 'without tags')
    const copy = { line: 'PUT /box/copy', headers: { 'x-amz-copy-source': '/from/k' } }
    const gets = { change: 'tags it closed', bucket: 'from' } as const
    await everywhere({ prepared, grant: tagged }, copy, gets, async ({ store: after, answer }) => {
      if (answer.status !== 200) return
      expect((await after.objects.annotations('box', 'copy')).tags).toBeUndefined()
    })
  })
})
