/** Access logs that are delivered into a bucket: its owner can read them, whatever the object ownership of the bucket. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectStatus, openTestService, type TestService } from '../acceptance/support/test-service.ts'
import { policyOf } from './past/past-bucket.ts'

let service: TestService
beforeAll(async () => {
  service = await openTestService({ serve: { bucketDefaults: 'open', accessLogs: { everyMs: 20 } } })
})
afterAll(() => service.stop())

const allowDelivery = [{ Principal: { Service: 'logging.s3.amazonaws.com' }, Action: 's3:PutObject' }]
const loggingInto = (target: string, grants: string) =>
  '<BucketLoggingStatus><LoggingEnabled>' +
  `<TargetBucket>${target}</TargetBucket><TargetPrefix>web/</TargetPrefix>${grants}</LoggingEnabled></BucketLoggingStatus>`
const grantToAll =
  '<TargetGrants><Grant><Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="Group">' +
  '<URI>http://acs.amazonaws.com/groups/global/AuthenticatedUsers</URI></Grantee><Permission>READ</Permission></Grant></TargetGrants>'

/** A delivered log of ann's bucket, in another one of hers with this object ownership. */
async function delivered(ownership: string, grants = '') {
  const [source, target] = [await service.bucket({ as: 'ann' }), await service.bucket({ as: 'ann' })]
  const rule = `<OwnershipControls><Rule><ObjectOwnership>${ownership}</ObjectOwnership></Rule></OwnershipControls>`
  expectStatus(await service.ask(`PUT /${target}?ownershipControls`, { as: 'ann', body: rule }), 200)
  const policy = policyOf(target, allowDelivery)
  expectStatus(await service.ask(`PUT /${target}?policy`, { as: 'ann', body: policy }), 204)
  const body = loggingInto(target, grants)
  expectStatus(await service.ask(`PUT /${source}?logging`, { as: 'ann', body }), 200)
  expectStatus(await service.ask(`PUT /${source}/a-cat`, { as: 'ann', body: 'meow' }), 200)
  const keyIn = async () => /<Key>([^<]+)<\/Key>/.exec((await service.ask(`GET /${target}`, { as: 'ann' })).text)?.[1]
  await expect.poll(keyIn, { timeout: 20_000 }).toBeDefined()
  return `/${target}/${await keyIn()}`
}

describe.each(['ObjectWriter', 'BucketOwnerPreferred', 'BucketOwnerEnforced'])(
  'a delivered log, with %s',
  (ownership) => {
    it('is readable for the owner of the bucket, with its ACL', async () => {
      const log = await delivered(ownership)
      expect(expectStatus(await service.ask(`GET ${log}`, { as: 'ann' }), 200).text).toMatch(/ REST\.\w+\.\w+ /)
      expectStatus(await service.ask(`GET ${log}?acl`, { as: 'ann' }), 200)
      expectStatus(await service.ask(`GET ${log}`, { as: 'bob' }), 403)
    })
  },
)

it('a delivered log is readable for others too if the target grants say so', async () => {
  const log = await delivered('ObjectWriter', grantToAll)
  for (const as of ['ann', 'bob']) expectStatus(await service.ask(`GET ${log}`, { as }), 200)
})
