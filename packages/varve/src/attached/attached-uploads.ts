/** Uploads in parts to the process that has the store open. */
import { callArguments, cancelable, optionsOf, schema, type UploadRef, type Uploads } from '@varve/core'
import { controlApi } from '@varve/http'
import { apart, type AttachedScope } from './attached-scope.ts'
import { sentChecks } from './sent-checks.ts'

const { checked, number } = schema
const { checkPlace, reported, uploadListings, withBody } = callArguments

type UploadListings = ReturnType<typeof uploadListings>

const refOf = (upload: unknown): UploadRef => checked('upload', callArguments.uploadRef, upload)

const numberOf = (partNumber: unknown): number => checked('partNumber', number, partNumber)

export const attachedUploads = (scope: AttachedScope): Uploads => ({ ...writing(scope), ...listings(scope) })

function writing({ client }: AttachedScope): Omit<Uploads, keyof UploadListings> {
  return {
    async create(bucket, key, given) {
      checkPlace(bucket, key)
      const [options, sending] = apart(optionsOf(callArguments.createUploadOptions, given))
      return client.value(controlApi.createUpload, { bucket, key, ...options }, sending)
    },
    async idOf(place) {
      const placeOfUpload = checked('place', callArguments.uploadPlace, place)
      return (await client.value(controlApi.getUploadId, placeOfUpload)).uploadId
    },
    head: async (upload) => client.value(controlApi.headUpload, refOf(upload)),
    uploadPart: (upload, partNumber, body, given) =>
      withBody(body, async (source) => {
        const part = { ...refOf(upload), partNumber: numberOf(partNumber) }
        const [{ checksum, onProgress, ...options }, sending] = apart(optionsOf(callArguments.uploadPartOptions, given))
        const [checks, expected] = sentChecks(checksum)
        const input = { ...part, ...options, ...checks }
        const body = reported(source, onProgress)
        return client.value(controlApi.putPart, input, { ...sending, body, checksum: expected })
      }),
    async copyPart(upload, partNumber, given, givenOptions) {
      const part = { ...refOf(upload), partNumber: numberOf(partNumber) }
      const source = checked('source', callArguments.partCopySource, given)
      const [options, sending] = apart(optionsOf(callArguments.copyPartOptions, givenOptions))
      return client.value(controlApi.copyPart, { ...part, source, ...options }, sending)
    },
    async complete(upload, given, givenOptions) {
      const completion = { ...refOf(upload), parts: checked('parts', callArguments.completedParts, given) }
      const [options, sending] = apart(optionsOf(callArguments.completeOptions, givenOptions))
      return client.value(controlApi.completeUpload, { ...completion, ...options }, sending)
    },
    async abort(upload, options) {
      const ref = refOf(upload)
      const [, sending] = apart(optionsOf(cancelable, options))
      await client.value(controlApi.abortUpload, ref, sending)
    },
  }
}

const listings = ({ client }: AttachedScope): UploadListings =>
  uploadListings({
    async listPage(bucket, options) {
      const [page, sending] = apart(options)
      return client.value(controlApi.pageUploads, { bucket, ...page }, sending)
    },
    async listPartsPage(upload, options) {
      const [page, sending] = apart(options)
      return client.value(controlApi.pageParts, { ...upload, ...page }, sending)
    },
  })
