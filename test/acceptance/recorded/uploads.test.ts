/** Multipart uploads: the recorded answers of S3 on part numbers, lists of parts, sizes, checksums and conditions. */
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { expect } from 'vitest'
import { completionBody, type TestService, expectStatus, refusal, type Upload } from '../support/test-service.ts'
import { errorOf, recorded } from '../support/recorded.ts'
import { connect, requestBytes } from '../support/wire.ts'

const unquoted = (etag = '') => etag.replaceAll('"', '')
const notHeld = (Condition: string) => ({
  status: 412,
  Code: 'PreconditionFailed',
  Message: 'At least one of the pre-conditions you specified did not hold',
  Condition,
})
const conflict = (Condition: string) => ({
  status: 409,
  Code: 'ConditionalRequestConflict',
  Message: 'The conditional request cannot succeed due to a conflicting operation against this resource.',
  Condition,
  Key: 'k',
})
/** A body with its checksum. */
function checked(algorithm: 'CRC32' | 'SHA1', body: string) {
  const digest = algorithm === 'SHA1' ? createHash('sha1').update(body).digest() : Buffer.alloc(4)
  if (algorithm === 'CRC32') digest.writeUInt32BE(crc32(body))
  return { body, headers: { [`x-amz-checksum-${algorithm.toLowerCase()}`]: digest.toString('base64') } }
}
const begun = async (service: TestService, bucket: string) => service.upload(`/${bucket}/k`, { 1: 'part' })
const complete = (upload: Upload, headers: Readonly<Record<string, string>> = {}) =>
  upload.complete(undefined, { headers })

recorded('parts', [
  [
    'a part number is 1 to 10,000',
    async (service) => {
      const { path, uploadId } = await service.upload(`/${await service.bucket()}/k`)
      for (const number of ['-1', '0', '10001']) {
        const answer = await service.ask(`PUT ${path}?partNumber=${number}&uploadId=${uploadId}`, { body: 'x' })
        expect(errorOf(answer)).toEqual({
          status: 400,
          Code: 'InvalidArgument',
          Message: 'Part number must be an integer between 1 and 10000, inclusive',
          ArgumentName: 'partNumber',
          ArgumentValue: number,
        })
      }
    },
  ],
  [
    'of two uploads of one part, the one that ends last counts, though it began first',
    async (service, dialect) => {
      const { path, uploadId, etags, complete: finish } = await service.upload(`/${await service.bucket()}/k`)
      const line = `PUT ${path}?partNumber=1&uploadId=${uploadId}`
      const region = dialect === 'aws' ? 'us-east-1' : 'eu'
      const slow = await connect(service.server)
      slow.send(requestBytes(service.server, line, { region, extra: ['content-length: 10'], body: 'first' }))
      await new Promise((resolve) => setTimeout(resolve, 50))
      expectStatus(await service.ask(line, { body: 'second' }), 200)
      slow.send(' last')
      const { status, headers } = await slow.answer('PUT')
      slow.socket.destroy()
      expect([status, etags.size]).toEqual([200, 0])
      expectStatus(await finish([{ PartNumber: 1, ETag: headers['etag'] ?? '' }]), 200)
      expect((await service.ask(`GET ${path}`)).text).toBe('first last')
    },
  ],
  [
    'a list without parts is an invalid request, and the upload can still be completed',
    async (service) => {
      const upload = await begun(service, await service.bucket())
      expect(errorOf(await service.ask(`POST ${upload.path}?uploadId=${upload.uploadId}`))).toEqual({
        status: 400,
        Code: 'InvalidRequest',
        Message: 'You must specify at least one part',
      })
      expect((await upload.complete([])).status).toBe(400)
      expectStatus(await upload.complete(), 200)
    },
  ],
  [
    'a part too small, one out of order and one that is not there are named, and the upload can still be completed',
    async (service) => {
      const upload = await service.upload(`/${await service.bucket()}/k`, { 1: 'part', 2: 'part' })
      const ETag = upload.etags.get(1) ?? ''
      expect(errorOf(await upload.complete())).toEqual({
        status: 400,
        Code: 'EntityTooSmall',
        Message: 'Your proposed upload is smaller than the minimum allowed size',
        ETag: unquoted(ETag),
        MinSizeAllowed: '5242880',
        PartNumber: '1',
        ProposedSize: '4',
      })
      expect(errorOf(await upload.complete([2, 1].map((PartNumber) => ({ PartNumber, ETag }))))).toEqual({
        status: 400,
        Code: 'InvalidPartOrder',
        Message: 'The list of parts was not in ascending order. Parts must be ordered by part number.',
        UploadId: upload.uploadId,
      })
      for (const [PartNumber, etag] of [
        [3, ETag],
        [1, `"${'0'.repeat(32)}"`],
      ] as const) {
        expect(errorOf(await upload.complete([{ PartNumber, ETag: etag }]))).toEqual({
          status: 400,
          Code: 'InvalidPart',
          Message:
            "One or more of the specified parts could not be found.  The part may not have been uploaded, or the specified entity tag may not match the part's entity tag.",
          ETag: unquoted(etag),
          PartNumber: String(PartNumber),
          UploadId: upload.uploadId,
        })
      }
      expectStatus(await upload.complete([{ PartNumber: 2, ETag }]), 200)
    },
  ],
  [
    'an unknown upload is not found, even if there is an object of that key',
    async (service) => {
      const bucket = await service.bucket()
      const { etag } = await service.put(`/${bucket}/k`, 'part')
      const body = completionBody([{ PartNumber: 1, ETag: etag }])
      expect(errorOf(await service.ask(`POST /${bucket}/k?uploadId=never`, { body }))).toMatchObject({
        status: 404,
        Code: 'NoSuchUpload',
      })
    },
  ],
  [
    'racing completions of one upload make one version: one wins, or all have one answer, by the dialect',
    async (service, dialect) => {
      const bucket = await service.bucket({ versioning: 'Enabled' })
      const upload = await begun(service, bucket)
      const answers = await Promise.all(Array.from({ length: 6 }, () => upload.complete()))
      const made = answers.filter(({ status }) => status === 200)
      expect(made).toHaveLength(dialect === 'aws' ? 6 : 1)
      expect(new Set(made.map(({ headers }) => headers['x-amz-version-id'])).size).toBe(1)
      expect(new Set(made.map((answer) => answer.xml().get('ETag'))).size).toBe(1)
      for (const answer of answers) if (answer.status !== 200) expect(refusal(answer)).toEqual([404, 'NoSuchUpload'])
      expect((await service.list(bucket)).all('Version')).toHaveLength(1)
    },
  ],
  [
    'a size of the whole that is not its size is refused, and the right one taken',
    async (service) => {
      const upload = await begun(service, await service.bucket())
      expect(errorOf(await complete(upload, { 'x-amz-mp-object-size': '5' }))).toEqual({
        status: 400,
        Code: 'InvalidRequest',
        Message: "The provided 'x-amz-mp-object-size' header value 5 does not match what was computed: 4",
      })
      expectStatus(await complete(upload, { 'x-amz-mp-object-size': '4' }), 200)
    },
  ],
  [
    'a missing part is refused with the number of parts, and a part has no range',
    async (service) => {
      const bucket = await service.bucket()
      expectStatus(await (await begun(service, bucket)).complete(), 200)
      await service.put(`/${bucket}/plain`, 'test-123')
      for (const key of ['k', 'plain']) {
        expect(errorOf(await service.ask(`GET /${bucket}/${key}?partNumber=10`))).toEqual({
          status: 416,
          Code: 'InvalidPartNumber',
          Message: 'The requested partnumber is not satisfiable',
          ActualPartCount: '1',
          PartNumberRequested: '10',
        })
      }
      const headers = { range: 'bytes=0-1' }
      expect(errorOf(await service.ask(`GET /${bucket}/k?partNumber=1`, { headers }))).toEqual({
        status: 400,
        Code: 'InvalidRequest',
        Message: 'Cannot specify both Range header and partNumber query parameter',
      })
      const part = await service.ask(`GET /${bucket}/k?partNumber=1`)
      expect([part.status, part.headers['content-range'], part.headers['x-amz-mp-parts-count']]).toEqual([
        206,
        'bytes 0-3/4',
        '1',
      ])
      const plain = await service.ask(`GET /${bucket}/plain?partNumber=1`)
      expect([plain.status, plain.headers['content-range']]).toEqual([206, 'bytes 0-7/8'])
    },
  ],
  [
    'a part copied from a version echoes it; an encoded ?versionId= belongs to the key',
    async (service) => {
      const bucket = await service.bucket({ versioning: 'Enabled' })
      const { versionId } = await service.put(`/${bucket}/k`, 'old')
      await service.put(`/${bucket}/k`, 'new')
      await service.put(`/${bucket}/k%3FversionId%3Dnull`, 'odd')
      const upload = await service.upload(`/${bucket}/copy`)
      const copy = async (source: string) => {
        const line = `PUT ${upload.path}?partNumber=1&uploadId=${upload.uploadId}`
        const answer = expectStatus(await service.ask(line, { headers: { 'x-amz-copy-source': source } }), 200)
        const ETag = answer.xml().get('ETag') ?? ''
        return { echoed: answer.headers['x-amz-copy-source-version-id'], parts: [{ PartNumber: 1, ETag }] }
      }
      const old = await copy(`/${bucket}/k?versionId=${versionId}`)
      expect(old.echoed).toBe(versionId)
      const { parts } = await copy(`/${bucket}/k%3FversionId%3Dnull`)
      expectStatus(await upload.complete(parts), 200)
      expect((await service.ask(`GET /${bucket}/copy`)).text).toBe('odd')
    },
  ],
  [
    'a checksum of the whole is refused where the upload has one of parts, and the other way round',
    async (service) => {
      const bucket = await service.bucket()
      for (const [began, ends] of [
        ['COMPOSITE', 'FULL_OBJECT'],
        ['FULL_OBJECT', 'COMPOSITE'],
      ] as const) {
        const headers = { 'x-amz-checksum-algorithm': 'CRC32', 'x-amz-checksum-type': began }
        const uploadId = (await service.ask(`POST /${bucket}/k?uploads`, { headers })).xml().get('UploadId')
        const part = await service.ask(`PUT /${bucket}/k?partNumber=1&uploadId=${uploadId}`, checked('CRC32', 'x'))
        const ETag = expectStatus(part, 200).headers['etag'] ?? ''
        const sum = part.headers['x-amz-checksum-crc32'] ?? ''
        const listed = `<Part><PartNumber>1</PartNumber><ETag>${ETag}</ETag><ChecksumCRC32>${sum}</ChecksumCRC32></Part>`
        const answer = await service.ask(`POST /${bucket}/k?uploadId=${uploadId}`, {
          headers: { 'x-amz-checksum-type': ends },
          body: `<CompleteMultipartUpload>${listed}</CompleteMultipartUpload>`,
        })
        expect(refusal(answer)).toEqual([400, 'InvalidRequest'])
      }
    },
  ],
  [
    'a part has a checksum, where that of the whole is made of them; otherwise it is computed',
    async (service) => {
      const bucket = await service.bucket()
      for (const [algorithm, type] of [
        ['CRC32', 'COMPOSITE'],
        ['CRC32', undefined],
        ['SHA1', undefined],
        ['CRC32', 'FULL_OBJECT'],
        ['CRC64NVME', undefined],
      ] as const) {
        const headers = { 'x-amz-checksum-algorithm': algorithm, ...(type && { 'x-amz-checksum-type': type }) }
        const uploadId = (await service.ask(`POST /${bucket}/k?uploads`, { headers })).xml().get('UploadId')
        const answer = await service.ask(`PUT /${bucket}/k?partNumber=1&uploadId=${uploadId}`, { body: 'x' })
        if (type === 'FULL_OBJECT' || algorithm === 'CRC64NVME') {
          expect(expectStatus(answer, 200).headers[`x-amz-checksum-${algorithm.toLowerCase()}`]).toMatch(/=$/)
        } else {
          expect(errorOf(answer)).toEqual({
            status: 400,
            Code: 'InvalidRequest',
            Message: `Checksum Type mismatch occurred, expected checksum Type: ${algorithm.toLowerCase()}, actual checksum Type: null`,
          })
          // What is copied is read here, and needs none.
          await service.ask(`PUT /${bucket}/source`, { body: 'x' })
          const copied = { headers: { 'x-amz-copy-source': `/${bucket}/source` } }
          expectStatus(await service.ask(`PUT /${bucket}/k?partNumber=1&uploadId=${uploadId}`, copied), 200)
        }
      }
    },
  ],
  [
    'a completion lists the checksum of each part, where that of the whole is made of them',
    async (service) => {
      const bucket = await service.bucket()
      for (const [algorithm, type] of [
        ['CRC32', 'COMPOSITE'],
        ['SHA1', undefined],
        ['CRC32', 'FULL_OBJECT'],
      ] as const) {
        const headers = { 'x-amz-checksum-algorithm': algorithm, ...(type && { 'x-amz-checksum-type': type }) }
        const uploadId = (await service.ask(`POST /${bucket}/k?uploads`, { headers })).xml().get('UploadId')
        const part = await service.ask(`PUT /${bucket}/k?partNumber=1&uploadId=${uploadId}`, checked(algorithm, 'x'))
        const parts = [{ PartNumber: 1, ETag: expectStatus(part, 200).headers['etag'] ?? '' }]
        const answer = await service.ask(`POST /${bucket}/k?uploadId=${uploadId}`, { body: completionBody(parts) })
        if (type === 'FULL_OBJECT') expectStatus(answer, 200)
        else
          expect(errorOf(answer)).toEqual({
            status: 400,
            Code: 'InvalidRequest',
            Message: `The upload was created using a ${algorithm.toLowerCase()} checksum. The complete request must include the checksum for each part. It was missing for part 1 in the request.`,
          })
      }
    },
  ],
  [
    'an upload without a checksum has a mode of none',
    async (service) => {
      const upload = await begun(service, await service.bucket())
      expect(errorOf(await complete(upload, { 'x-amz-checksum-type': 'COMPOSITE' }))).toEqual({
        status: 400,
        Code: 'InvalidRequest',
        Message:
          'The upload was created using the null checksum mode. The complete request must use the same checksum mode.',
      })
    },
  ],
  [
    'only CRCs are of the whole, and CRC64NVME is never of parts',
    async (service) => {
      const bucket = await service.bucket()
      for (const [algorithm, type] of [
        ['SHA1', 'FULL_OBJECT'],
        ['SHA256', 'FULL_OBJECT'],
        ['CRC64NVME', 'COMPOSITE'],
      ] as const) {
        const headers = { 'x-amz-checksum-algorithm': algorithm, 'x-amz-checksum-type': type }
        const answer = await service.ask(`POST /${bucket}/k?uploads`, { headers })
        expect(refusal(answer), algorithm).toEqual([400, 'InvalidRequest'])
      }
    },
  ],
])

recorded('completions on condition', [
  [
    'If-None-Match finds what is there, and a conflict once it was deleted after the upload began',
    async (service) => {
      const bucket = await service.bucket()
      await service.put(`/${bucket}/k`)
      const upload = await begun(service, bucket)
      const finish = () => complete(upload, { 'if-none-match': '*' })
      expect(errorOf(await finish())).toEqual(notHeld('If-None-Match'))
      expectStatus(await service.ask(`DELETE /${bucket}/k`), 204)
      expect(errorOf(await finish())).toEqual(conflict('If-None-Match'))
      expectStatus(await complete(await begun(service, bucket), { 'if-none-match': '*' }), 200)
    },
  ],
  [
    'If-None-Match finds what was written since the upload began',
    async (service) => {
      const bucket = await service.bucket()
      const upload = await begun(service, bucket)
      await service.put(`/${bucket}/k`)
      expect(errorOf(await complete(upload, { 'if-none-match': '*' }))).toEqual(notHeld('If-None-Match'))
    },
  ],
  [
    'If-Match is a conflict once the key was written, though the bytes are the same',
    async (service) => {
      const bucket = await service.bucket()
      const { etag } = await service.put(`/${bucket}/k`, 'test')
      const upload = await begun(service, bucket)
      await service.put(`/${bucket}/k`, 'test')
      expect(errorOf(await complete(upload, { 'if-match': etag }))).toEqual(conflict('If-Match'))
      expectStatus(await complete(await begun(service, bucket), { 'if-match': etag }), 200)
    },
  ],
  [
    'If-Match with another ETag fails; for a key deleted meanwhile it is NoSuchKey, and a conflict when it is back',
    async (service) => {
      const bucket = await service.bucket()
      const { etag } = await service.put(`/${bucket}/k`, 'test')
      const upload = await begun(service, bucket)
      expect(errorOf(await complete(upload, { 'if-match': '"no"' }))).toEqual(notHeld('If-Match'))
      expectStatus(await service.ask(`DELETE /${bucket}/k`), 204)
      expect(errorOf(await complete(upload, { 'if-match': etag }))).toEqual({
        status: 404,
        Code: 'NoSuchKey',
        Message: 'The specified key does not exist.',
        Key: 'k',
      })
      await service.put(`/${bucket}/k`, 'test')
      expect(errorOf(await complete(upload, { 'if-match': etag }))).toEqual(conflict('If-Match'))
    },
  ],
])
