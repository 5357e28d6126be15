/**
 * Ids as `minio` reads them. Its reader of XML takes text that looks like a number for one, as readers of that kind do: no
 * id may look like one.
 */
import { expect } from 'vitest'
import { byBytes, inBothDialects } from './session.ts'

inBothDialects('minio: ids', [
  [
    'each of many version ids is listed as it was given',
    async ({ minio, bucket, put }) => {
      const target = await bucket('Enabled')
      const given = []
      for (let round = 0; round < 6; round += 1) {
        const made = await Promise.all(Array.from({ length: 50 }, () => put(target, 'k', '')))
        given.push(...made.map(({ VersionId = '' }) => VersionId))
      }
      const listed = []
      for await (const item of minio.listObjects(target, '', true, { IncludeVersion: true }))
        listed.push(item.versionId ?? '')
      expect(listed.sort(byBytes)).toEqual(given.sort(byBytes))
    },
  ],
])

inBothDialects('minio: ids', [
  [
    'each of many uploads is found by the id it was given, and aborted',
    async ({ minio, bucket }) => {
      const target = await bucket()
      for (let round = 0; round < 5; round += 1) {
        const ids = await Promise.all(
          Array.from({ length: 50 }, () => minio.initiateNewMultipartUpload(target, 'k', {})),
        )
        const listed = []
        for await (const { uploadId } of minio.listIncompleteUploads(target, '', true)) listed.push(uploadId)
        expect(listed.sort(byBytes)).toEqual(ids.sort(byBytes))
        await Promise.all(ids.map((id) => minio.abortMultipartUpload(target, 'k', id)))
      }
    },
  ],
])
