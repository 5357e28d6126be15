/** Permissions set by @aws-sdk/client-s3: access control lists, bucket policies, ownership, and anonymous requests. */
import {
  AbortMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketPolicyCommand,
  DeletePublicAccessBlockCommand,
  GetBucketAclCommand,
  GetBucketOwnershipControlsCommand,
  GetBucketPolicyCommand,
  GetBucketPolicyStatusCommand,
  GetObjectAclCommand,
  GetObjectCommand,
  GetPublicAccessBlockCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type ObjectCannedACL,
  PutBucketAclCommand,
  PutBucketOwnershipControlsCommand,
  PutBucketPolicyCommand,
  PutObjectAclCommand,
  PutObjectCommand,
  PutPublicAccessBlockCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { expect } from 'vitest'
import { inBothDialects, refusal, type Session } from './session.ts'

const denied = ['AccessDenied', 403]
const everybody = 'http://acs.amazonaws.com/groups/global/AllUsers'

/** Status of an answer to somebody without credentials. */
async function anonymous({ server }: Session, path: string, method = 'GET', body?: string): Promise<number> {
  const answer = await fetch(`http://${server.host}/${path}`, { method, ...(body !== undefined && { body }) })
  await answer.arrayBuffer()
  return answer.status
}

const allow = (Bucket: string, more: object = {}) => ({
  Effect: 'Allow',
  Principal: '*',
  Action: 's3:GetObject',
  Resource: `arn:aws:s3:::${Bucket}/*`,
  ...more,
})

const message = (s3: S3Client, Bucket: string, ...Statement: readonly object[]) =>
  s3.send(new PutBucketPolicyCommand({ Bucket, Policy: JSON.stringify({ Version: '2012-10-17', Statement }) }))

inBothDialects(
  '@aws-sdk/client-s3: permissions',
  [
    [
      'ACLs of buckets and objects admit the users they name, and can be read back',
      async (session) => {
        const { s3, put } = session
        const Bucket = await session.bucket()
        const other = session.client({ as: 'bob' })
        await put(Bucket, 'k', 'x')
        const ask = { Bucket, Key: 'k' }
        expect(await refusal(other.send(new GetObjectCommand(ask)))).toEqual(denied)
        await s3.send(new PutObjectAclCommand({ ...ask, ACL: 'authenticated-read' }))
        await other.send(new GetObjectCommand(ask))
        expect(await anonymous(session, `${Bucket}/k`)).toBe(403)
        await s3.send(new PutObjectAclCommand({ ...ask, GrantRead: `uri="${everybody}"` }))
        expect(await anonymous(session, `${Bucket}/k`)).toBe(200)
        const { Grants } = await s3.send(new GetObjectAclCommand(ask))
        expect(Grants).toEqual([{ Grantee: { Type: 'Group', URI: everybody }, Permission: 'READ' }])
        expect(await anonymous(session, Bucket)).toBe(403)
        await s3.send(new PutBucketAclCommand({ Bucket, ACL: 'public-read' }))
        expect([await anonymous(session, Bucket), await anonymous(session, `${Bucket}/none`)]).toEqual([200, 404])
        expect((await s3.send(new GetBucketPolicyStatusCommand({ Bucket }))).PolicyStatus?.IsPublic).toBe(true)
        await s3.send(new PutBucketAclCommand({ Bucket, ACL: 'private' }))
        expect((await s3.send(new GetBucketAclCommand({ Bucket }))).Grants).toHaveLength(1)
        expect([await anonymous(session, Bucket), await anonymous(session, `${Bucket}/none`)]).toEqual([403, 403])
      },
    ],
    [
      'an object of another writer is theirs, unless the bucket sets another ownership',
      async (session) => {
        const { s3 } = session
        const Bucket = session.name()
        const owner = session.client({ as: 'ann' })
        const other = session.client({ as: 'bob' })
        await owner.send(new CreateBucketCommand({ Bucket, ACL: 'public-read-write' }))
        const put = (Key: string, ACL?: ObjectCannedACL) =>
          other.send(new PutObjectCommand({ Bucket, Key, Body: Key, ...(ACL && { ACL }) }))
        const get = (Key: string) => owner.send(new GetObjectCommand({ Bucket, Key }))
        await put('theirs')
        await put('shared', 'bucket-owner-read')
        expect(await refusal(get('theirs'))).toEqual(denied)
        await get('shared')
        await s3.send(new GetObjectCommand({ Bucket, Key: 'theirs' }))
        const Rules = [{ ObjectOwnership: 'BucketOwnerEnforced' as const }]
        const enforce = () =>
          owner.send(new PutBucketOwnershipControlsCommand({ Bucket, OwnershipControls: { Rules } }))
        expect(await refusal(enforce())).toEqual(['InvalidBucketAclWithObjectOwnership', 400])
        await owner.send(new PutBucketAclCommand({ Bucket, ACL: 'private' }))
        await enforce()
        await get('theirs')
        await message(owner, Bucket, allow(Bucket, { Action: 's3:*' }))
        await put('later')
        expect(await refusal(put('closed', 'public-read'))).toEqual(['AccessControlListNotSupported', 400])
        const { Owner } = await owner.send(new GetObjectAclCommand({ Bucket, Key: 'later' }))
        expect(Owner).toEqual((await owner.send(new GetBucketAclCommand({ Bucket }))).Owner)
      },
    ],
    [
      'a policy allows and denies by identity, action and request',
      async (session) => {
        const { s3, put } = session
        const Bucket = await session.bucket()
        const other = session.client({ as: 'bob' })
        for (const key of ['open/a', 'shut/a']) await put(Bucket, key, 'x')
        await message(
          s3,
          Bucket,
          allow(Bucket, { Resource: `arn:aws:s3:::${Bucket}/open/*` }),
          allow(Bucket, {
            Action: 's3:ListBucket',
            Resource: `arn:aws:s3:::${Bucket}`,
            Condition: { StringLike: { 's3:prefix': 'open/*' } },
          }),
          allow(Bucket, { Effect: 'Deny', Condition: { StringEquals: { 'aws:UserAgent': 'mirror' } } }),
        )
        expect([await anonymous(session, `${Bucket}/open/a`), await anonymous(session, `${Bucket}/shut/a`)]).toEqual([
          200, 403,
        ])
        await other.send(new ListObjectsV2Command({ Bucket, Prefix: 'open/x' }))
        expect(await refusal(other.send(new ListObjectsV2Command({ Bucket })))).toEqual(denied)
        expect([await anonymous(session, `${Bucket}/open/b`), await anonymous(session, `${Bucket}/shut/b`)]).toEqual([
          404, 403,
        ])
        const mirror = await fetch(`http://${session.server.host}/${Bucket}/open/a`, {
          headers: { 'user-agent': 'mirror' },
        })
        expect(mirror.status).toBe(403)
        expect((await s3.send(new GetBucketPolicyStatusCommand({ Bucket }))).PolicyStatus?.IsPublic).toBe(true)
        await s3.send(new DeleteBucketPolicyCommand({ Bucket }))
        expect(await anonymous(session, `${Bucket}/open/a`)).toBe(403)
        expect(await refusal(s3.send(new GetBucketPolicyCommand({ Bucket })))).toEqual(['NoSuchBucketPolicy', 404])
      },
    ],
    [
      'a policy is given back as it was sent, and one that is none is refused',
      async ({ s3, bucket }) => {
        const Bucket = await bucket()
        const Policy = `{ "Statement" : [${JSON.stringify(allow(Bucket))}] }`
        await s3.send(new PutBucketPolicyCommand({ Bucket, Policy }))
        expect((await s3.send(new GetBucketPolicyCommand({ Bucket }))).Policy).toBe(Policy)
        for (const bad of ['{}', '[]', JSON.stringify({ Statement: allow('another') })]) {
          const put = s3.send(new PutBucketPolicyCommand({ Bucket, Policy: bad }))
          expect(await refusal(put)).toEqual(['MalformedPolicy', 400])
        }
        const huge = JSON.stringify({ Id: 'x'.repeat(20_480), Statement: allow(Bucket) })
        expect(await refusal(s3.send(new PutBucketPolicyCommand({ Bucket, Policy: huge })))).toEqual([
          'MalformedPolicy',
          400,
        ])
      },
    ],
    [
      'the owner of a bucket can still remove a policy that denies everything',
      async (session) => {
        const { s3 } = session
        const Bucket = await session.bucket()
        await message(
          s3,
          Bucket,
          allow(Bucket, { Effect: 'Deny', Action: 's3:*', Resource: [`arn:aws:s3:::${Bucket}`] }),
        )
        expect(await refusal(s3.send(new GetBucketAclCommand({ Bucket })))).toEqual(denied)
        await s3.send(new DeleteBucketPolicyCommand({ Bucket }))
        await s3.send(new GetBucketAclCommand({ Bucket }))
      },
    ],
    [
      'blocks of public access refuse what is to come and switch off what is there',
      async (session) => {
        const { s3, put } = session
        const Bucket = await session.bucket()
        await put(Bucket, 'k', 'x', { ACL: 'public-read' })
        await message(s3, Bucket, allow(Bucket, { Resource: `arn:aws:s3:::${Bucket}/p*` }))
        await put(Bucket, 'p', 'x')
        const block = (names: readonly string[]) => {
          const blocks = Object.fromEntries(names.map((name) => [name, true]))
          return s3.send(new PutPublicAccessBlockCommand({ Bucket, PublicAccessBlockConfiguration: blocks }))
        }
        const both = async () => [await anonymous(session, `${Bucket}/k`), await anonymous(session, `${Bucket}/p`)]
        expect(await both()).toEqual([200, 200])
        await block(['BlockPublicAcls', 'BlockPublicPolicy'])
        expect(await both()).toEqual([200, 200])
        expect(await refusal(put(Bucket, 'n', 'x', { ACL: 'public-read' }))).toEqual(denied)
        expect(await refusal(s3.send(new PutBucketAclCommand({ Bucket, ACL: 'public-read' })))).toEqual(denied)
        expect(await refusal(message(s3, Bucket, allow(Bucket)))).toEqual(denied)
        await block(['IgnorePublicAcls'])
        expect(await both()).toEqual([403, 200])
        await block(['RestrictPublicBuckets'])
        expect(await both()).toEqual([200, 403])
        await s3.send(new DeletePublicAccessBlockCommand({ Bucket }))
        expect(await both()).toEqual([200, 200])
      },
    ],
    [
      'the initiator of an upload may abort it, and others only with permission',
      async (session) => {
        const { s3 } = session
        const Bucket = await session.bucket()
        const [other, app] = [session.client({ as: 'bob' }), session.client({ as: 'ann' })]
        await s3.send(new PutBucketAclCommand({ Bucket, ACL: 'public-read-write' }))
        const { UploadId } = await other.send(new CreateMultipartUploadCommand({ Bucket, Key: 'k' }))
        const { Uploads } = await app.send(new ListMultipartUploadsCommand({ Bucket }))
        expect(Uploads?.map(({ Initiator }) => Initiator?.DisplayName)).toEqual(['bob'])
        const abort = new AbortMultipartUploadCommand({ Bucket, Key: 'k', UploadId })
        expect(await refusal(app.send(abort))).toEqual(denied)
        await other.send(abort)
      },
    ],
  ],
  { serve: { bucketDefaults: 'open' } },
)

inBothDialects(
  '@aws-sdk/client-s3: ACLs of versions, and anonymous uploads',
  [
    [
      'answers about ACLs name the version',
      async ({ client, bucket, put }) => {
        const Bucket = await bucket('Enabled')
        const [first] = [await put(Bucket, 'k', 'one'), await put(Bucket, 'k', 'two')]
        const s3 = client()
        const versions: (string | undefined)[] = []
        s3.middlewareStack.add(
          (next) => async (args) => {
            const result = await next(args)
            versions.push((result.response as { headers: Record<string, string> }).headers['x-amz-version-id'])
            return result
          },
          { step: 'deserialize', priority: 'low' },
        )
        const which = { Bucket, Key: 'k', VersionId: first.VersionId }
        await s3.send(new GetObjectAclCommand(which))
        await s3.send(new PutObjectAclCommand({ ...which, ACL: 'public-read' }))
        expect(versions).toEqual([first.VersionId, first.VersionId])
      },
    ],
    [
      'requests without credentials read what they wrote, by list and by policy, until public lists are ignored',
      async (session) => {
        const { s3 } = session
        const Bucket = await session.bucket()
        const ask = { Bucket, Key: 'k' }
        await s3.send(new PutBucketAclCommand({ Bucket, ACL: 'public-read-write' }))
        expect(await anonymous(session, `${Bucket}/k`, 'PUT', 'x')).toBe(200)
        const read = async () => [await anonymous(session, `${Bucket}/k`), await anonymous(session, `${Bucket}/k?acl`)]
        expect(await read()).toEqual([200, 200])
        const other = session.client({ as: 'bob' })
        expect(await refusal(other.send(new GetObjectCommand(ask)))).toEqual(denied)
        await s3.send(new PutBucketAclCommand({ Bucket, ACL: 'private' }))
        await message(s3, Bucket, allow(Bucket, { Action: 's3:*' }))
        expect(await read()).toEqual([200, 200])
        const PublicAccessBlockConfiguration = { IgnorePublicAcls: true }
        await s3.send(new PutPublicAccessBlockCommand({ Bucket, PublicAccessBlockConfiguration }))
        expect(await read()).toEqual([403, 403])
      },
    ],
    [
      'an anonymous client cannot begin an upload, even where everybody may write',
      async (session) => {
        const Bucket = await session.bucket()
        await session.s3.send(new PutBucketAclCommand({ Bucket, ACL: 'public-read-write' }))
        expect(await anonymous(session, `${Bucket}/k`, 'PUT', 'x')).toBe(200)
        expect(await anonymous(session, `${Bucket}/k?uploads`, 'POST')).toBe(403)
      },
    ],
  ],
  { serve: { bucketDefaults: 'open' } },
)

inBothDialects('@aws-sdk/client-s3: settings of new buckets', [
  [
    'are closed, as S3 makes buckets since 2023',
    async ({ s3, bucket, put, name }) => {
      const Bucket = await bucket()
      const ownership = s3.send(new GetBucketOwnershipControlsCommand({ Bucket }))
      const block = s3.send(new GetPublicAccessBlockCommand({ Bucket }))
      expect((await ownership).OwnershipControls?.Rules).toEqual([{ ObjectOwnership: 'BucketOwnerEnforced' }])
      expect(Object.values((await block).PublicAccessBlockConfiguration ?? {})).toEqual([true, true, true, true])
      const refused = put(Bucket, 'k', 'x', { ACL: 'public-read' })
      expect(await refusal(refused)).toEqual(['AccessControlListNotSupported', 400])
      const open = { Bucket: name(), ACL: 'public-read' } as const
      expect(await refusal(s3.send(new CreateBucketCommand(open)))).toEqual([
        'InvalidBucketAclWithObjectOwnership',
        400,
      ])
      const withAcls = { ...open, ObjectOwnership: 'ObjectWriter' } as const
      expect(await refusal(s3.send(new CreateBucketCommand(withAcls)))).toEqual([
        'InvalidBucketAclWithBlockPublicAccessError',
        400,
      ])
    },
  ],
  [
    'list the grants of the owner before all others',
    async ({ s3, name }) => {
      const Bucket = name()
      await s3.send(new CreateBucketCommand({ Bucket, ObjectOwnership: 'ObjectWriter' }))
      await s3.send(new DeletePublicAccessBlockCommand({ Bucket }))
      await s3.send(new PutBucketAclCommand({ Bucket, ACL: 'public-read-write' }))
      const { Grants } = await s3.send(new GetBucketAclCommand({ Bucket }))
      expect(Grants?.map(({ Permission }) => Permission)).toEqual(['FULL_CONTROL', 'READ', 'WRITE'])
    },
  ],
])
