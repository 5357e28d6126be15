/** Tries every access path by every principal of a list, against a server. */
import { Agent } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call } from '../../acceptance/support/call.ts'
import { expectStatus, type TestService } from '../../acceptance/support/test-service.ts'
import { controlAccessPaths } from './control-access-paths.ts'
import type { AccessPath, Place } from './access-path.ts'
import { type PastBucket, pastBucket, policyOf, secret } from './past-bucket.ts'
import { buckets, allows, type Principal } from './principals.ts'
import { s3AccessPaths } from './s3-access-paths.ts'
import { type Reply, send } from './send.ts'

export const accessPaths: readonly AccessPath[] = [...s3AccessPaths, ...controlAccessPaths]

const target = 'target'
let names = 0

interface Served {
  readonly service: TestService
  readonly agent: Agent
  readonly pasts: ReadonlyMap<string, PastBucket>
  readonly uploadId: string
}

/** @param open Starts a server that has the policies of the principals. */
export function tryAccessPaths(principals: readonly Principal[], open: () => Promise<TestService>): void {
  let served: Served
  beforeAll(async () => {
    served = await servedPast(await open())
  })
  afterAll(async () => {
    served.agent.destroy()
    await served.service.stop()
  })

  describe.each(principals.map((principal) => [`${principal.as} at ${principal.bucket}`, principal] as const))(
    'for %s,',
    (_, principal) => {
      const refused = accessPaths.filter((accessPath) => !allows(accessPath, principal))
      const allowed = accessPaths.filter((accessPath) => allows(accessPath, principal))

      it('what is not allowed shows nothing and changes nothing', async () => {
        const before = await position(served)
        const wrong = []
        for (const accessPath of refused) {
          const reply = await trying(served, accessPath, principal)
          if (!isRefused(accessPath, reply)) wrong.push([accessPath.name, reply.status, reply.text])
        }
        expect(wrong).toEqual([])
        expect(await eventsBy(served, principal, before)).toEqual([])
      })

      it('what is allowed is not refused, and shows the past', async () => {
        const wrong = []
        for (const accessPath of allowed) {
          const reply = await trying(served, accessPath, principal)
          if (!isAnswered(accessPath, reply)) wrong.push([accessPath.name, reply.status, reply.text])
        }
        expect(wrong).toEqual([])
      })
    },
  )
}

async function servedPast(service: TestService): Promise<Served> {
  const { ask } = service
  const pasts = new Map<string, PastBucket>()
  for (const [name, statements] of Object.entries(buckets)) {
    const past = await pastBucket(service, name, statements)
    const body = JSON.stringify({ name: `${name}-then`, at: past.seq, bucket: name })
    expectStatus(await ask('POST /-/v1/snapshots', { body }), 200)
    pasts.set(name, past)
  }
  expectStatus(await ask(`PUT /${target}`), 200)
  expectStatus(await ask(`DELETE /${target}?publicAccessBlock`), 204)
  expectStatus(await ask(`PUT /${target}?policy`, { body: policyOf(target, [{ Action: 's3:*' }]) }), 204)
  const { uploadId } = await service.upload(`/${target}/parts`)
  return { service, agent: new Agent({ keepAlive: true }), pasts, uploadId }
}

function trying(
  { service, agent, pasts, uploadId }: Served,
  accessPath: AccessPath,
  { as, bucket }: Principal,
): Promise<Reply> {
  const past = pasts.get(bucket) as PastBucket
  const place: Place = { past, target, uploadId, next: () => `made-${(names += 1)}` }
  return send({ server: service.server, agent, region: 'eu' }, accessPath.request(place), as)
}

async function position({ service, agent }: Served): Promise<number> {
  const { text } = expectStatus(await call(service.server, 'GET /-/v1/status', { agent }), 200)
  return (JSON.parse(text) as { readonly seq: number }).seq
}

/** Jobs of the store may add events meanwhile. */
async function eventsBy({ service, agent }: Served, { as }: Principal, after: number): Promise<readonly string[]> {
  const { text } = expectStatus(await call(service.server, `GET /-/v1/log?from=${after + 1}`, { agent }), 200)
  const actor = as === 'nobody' ? 'anonymous' : as
  return text.split('\n').filter((line) => line !== '' && (JSON.parse(line) as Event).by.name === actor)
}

interface Event {
  readonly by: { readonly name: string }
}

/** What some principal is allowed is refused with 403 to the others. What nobody is allowed may also be unknown here. */
function isRefused({ need }: AccessPath, { status, text, at }: Reply): boolean {
  const isRefused = need.by === 'never' ? status >= 400 && status !== 500 : status === 403
  return isRefused && !text.includes(secret) && at === undefined
}

const isAnswered = ({ shows = false }: AccessPath, { status, text }: Reply): boolean =>
  shows ? status < 300 && text.includes(secret) : status !== 403 && status !== 500
