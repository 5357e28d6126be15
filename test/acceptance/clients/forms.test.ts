/** Forms as pages have them: signed by a client, sent by somebody with no more than fetch and FormData. */
import {
  CreateBucketCommand,
  DeletePublicAccessBlockCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  PutBucketAclCommand,
  PutBucketPolicyCommand,
} from '@aws-sdk/client-s3'
import { expect } from 'vitest'
import { bytes, inBothDialects, md5, MiB, type Session, sha256 } from './session.ts'

interface Page {
  readonly bucket: string
  readonly signed: Awaited<ReturnType<Session['minio']['presignedPostPolicy']>>
}

/** A form for a new bucket. */
async function page(
  session: Session,
  key = 'from/${filename}',
  change: (policy: Policy) => void = () => undefined,
): Promise<Page> {
  const bucket = await session.bucket()
  const policy = session.minio.newPostPolicy()
  policy.setBucket(bucket)
  if (key.endsWith('${filename}')) policy.setKeyStartsWith(key.replace('${filename}', ''))
  else policy.setKey(key)
  policy.setExpires(new Date(Date.now() + 60_000))
  change(policy)
  const signed = await session.minio.presignedPostPolicy(policy)
  return { bucket, signed: { ...signed, formData: { ...signed.formData, key } } }
}

type Policy = ReturnType<Session['minio']['newPostPolicy']>

/** As a browser sends it: fields in order, the file last. */
function send(
  { server }: Session,
  { bucket, signed }: Page,
  file: Blob | string,
  {
    name = 'a picture.png',
    more = {},
  }: { readonly name?: string; readonly more?: Readonly<Record<string, string>> } = {},
): Promise<Response> {
  const form = new FormData()
  for (const [field, value] of Object.entries({ ...signed.formData, ...more })) form.append(field, String(value))
  if (typeof file === 'string') form.append('file', file)
  else form.append('file', file, name)
  return fetch(`http://${server.host}/${bucket}`, { method: 'POST', body: form, redirect: 'manual' })
}

const codeOf = async (response: Response) => [response.status, /<Code>(\w+)<\/Code>/.exec(await response.text())?.[1]]

inBothDialects('forms', [
  [
    'a page stores a file of many chunks under its own name',
    async (session) => {
      const form = await page(session, undefined, (policy) => {
        policy.setContentType('image/png')
        policy.setUserMetaData({ camera: 'old' })
      })
      const data = bytes(3 * MiB + 1)
      const answer = await send(session, form, new Blob([new Uint8Array(data)]))
      expect([answer.status, answer.headers.get('etag'), await answer.text()]).toEqual([204, `"${md5(data)}"`, ''])
      const kept = await session.get(form.bucket, 'from/a picture.png')
      expect(kept).toMatchObject({ ContentType: 'image/png', Metadata: { camera: 'old' } })
      expect(sha256(kept.bytes)).toBe(sha256(data))
    },
  ],
  [
    'a file may be a field, and be empty',
    async (session) => {
      for (const text of ['words', '']) {
        const form = await page(session, 'key')
        expect((await send(session, form, text)).status).toBe(204)
        expect((await session.get(form.bucket, 'key')).bytes.toString()).toBe(text)
      }
    },
  ],
  [
    'a page gets the location of its file, or a redirect',
    async (session) => {
      const form = await page(session, 'key', (policy) => {
        policy.policy.conditions.push(['starts-with', '$success_action_status', ''])
        policy.policy.conditions.push(['starts-with', '$success_action_redirect', 'http://'])
      })
      const more = { success_action_status: '201', success_action_redirect: 'http://' }
      const answer = await send(session, form, 'words', { more })
      const place = `http://${session.server.host}/${form.bucket}/key`
      expect([answer.status, answer.headers.get('location')]).toEqual([201, place])
      expect(await answer.text()).toContain(`<PostResponse><Location>${place}</Location>`)

      const redirect = { ...more, success_action_redirect: 'http://page.test/done' }
      const moved = await send(session, form, 'words', { more: redirect })
      const location = `http://page.test/done?bucket=${form.bucket}&key=key&etag=%22${md5(Buffer.from('words'))}%22`
      expect([moved.status, moved.headers.get('location')]).toEqual([303, location])
    },
  ],
  [
    'a file that is longer or shorter than the policy allows is not stored',
    async (session) => {
      const form = await page(session, 'key', (policy) => policy.setContentLengthRange(5, 300_000))
      expect(await codeOf(await send(session, form, 'four'))).toEqual([400, 'EntityTooSmall'])
      expect(await codeOf(await send(session, form, new Blob([new Uint8Array(300_001)])))).toEqual([
        400,
        'EntityTooLarge',
      ])
      await expect(session.get(form.bucket, 'key')).rejects.toMatchObject({ name: 'NoSuchKey' })
      expect((await send(session, form, new Blob([new Uint8Array(300_000)]))).status).toBe(204)
    },
  ],
  [
    'a field that the policy does not allow is refused, and so is a changed policy',
    async (session) => {
      const form = await page(session, 'key')
      const changed = (more: Readonly<Record<string, string>>) => send(session, form, 'words', { more }).then(codeOf)
      expect(await changed({ 'x-amz-meta-more': 'x' })).toEqual([403, 'AccessDenied'])
      expect(await changed({ key: 'other' })).toEqual([403, 'AccessDenied'])
      expect(await changed({ policy: `${Buffer.from('{}').toString('base64')}` })).toEqual([
        403,
        'SignatureDoesNotMatch',
      ])
      expect(
        await changed({
          'x-amz-credential': 'AK-nobody/20260101/us-east-1/s3/aws4_request',
          'x-amz-date': '20260101T000000Z',
        }),
      ).toEqual([403, 'InvalidAccessKeyId'])
      await expect(session.get(form.bucket, 'key')).rejects.toMatchObject({ name: 'NoSuchKey' })
    },
  ],
  [
    'an unsigned form is accepted where everybody may write, and nowhere else',
    async (session) => {
      const { s3 } = session
      const bucket = await session.bucket()
      const unsigned = (formData: Readonly<Record<string, string>>) =>
        send(session, { bucket, signed: { postURL: '', formData } }, 'words')
      expect(await codeOf(await unsigned({ key: 'key' }))).toEqual([403, 'AccessDenied'])

      const everybody = {
        Effect: 'Allow',
        Principal: '*',
        Action: 's3:PutObject',
        Resource: `arn:aws:s3:::${bucket}/in/*`,
      }
      const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [everybody] })
      await s3.send(new DeletePublicAccessBlockCommand({ Bucket: bucket }))
      await s3.send(new PutBucketPolicyCommand({ Bucket: bucket, Policy }))
      // An unsigned policy restricts nothing.
      expect((await unsigned({ key: 'in/key', policy: 'nonsense', 'Content-Type': 'text/plain' })).status).toBe(204)
      expect(await s3.send(new HeadObjectCommand({ Bucket: bucket, Key: 'in/key' }))).toMatchObject({
        ContentType: 'text/plain',
        ContentLength: 5,
      })
      expect(await codeOf(await unsigned({ key: 'out/key' }))).toEqual([403, 'AccessDenied'])
    },
  ],
  [
    'a client that an access control list lets write may tag what it sends',
    async (session) => {
      const { s3 } = session
      const bucket = session.name()
      await s3.send(new CreateBucketCommand({ Bucket: bucket, ObjectOwnership: 'ObjectWriter' }))
      await s3.send(new DeletePublicAccessBlockCommand({ Bucket: bucket }))
      await s3.send(new PutBucketAclCommand({ Bucket: bucket, ACL: 'public-read-write' }))
      const tagging = '<Tagging><TagSet><Tag><Key>a</Key><Value>b c</Value></Tag></TagSet></Tagging>'
      const formData = { key: 'key', acl: 'public-read', tagging }
      expect((await send(session, { bucket, signed: { postURL: '', formData } }, 'words')).status).toBe(204)
      const { TagSet } = await s3.send(new GetObjectTaggingCommand({ Bucket: bucket, Key: 'key' }))
      expect(TagSet).toEqual([{ Key: 'a', Value: 'b c' }])
      const read = await fetch(`http://${session.server.host}/${bucket}/key`)
      expect([read.status, await read.text()]).toEqual([200, 'words'])
    },
  ],
])
