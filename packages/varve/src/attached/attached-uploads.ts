/** Uploads in parts to the process that has the store open. */
import {
  callArguments,
  cancelable,
  optionsOf,
  type PartPage,
  type PartPageOptions,
  schema,
  type UploadPage,
  type UploadPageOptions,
  type UploadRef,
  type Uploads,
} from '@varve/core'
import { controlApi } from '@varve/http'
import { apart, type AttachedScope } from './attached-scope.ts'
import { sentChecks } from './sent-checks.ts'

const { checked, number } = schema
const { atCall, checkBucket, checkPlace, listing, withBody } = callArguments

const refOf = (upload: unknown): UploadRef => checked('upload', callArguments.uploadRef, upload)

const numberOf = (partNumber: unknown): number => checked('partNumber', number, partNumber)

export const attachedUploads = (scope: AttachedScope): Uploads => ({ ...writing(scope), ...listings(scope) })

type Listings = Pick<Uploads, 'list' | 'listPage' | 'listParts' | 'listPartsPage'>

function writing({ client }: AttachedScope): Omit<Uploads, keyof Listings> {
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
        const [{ checksum, ...options }, sending] = apart(optionsOf(callArguments.uploadPartOptions, given))
        const [checks, expected] = sentChecks(checksum)
        const input = { ...part, ...options, ...checks }
        return client.value(controlApi.putPart, input, { ...sending, body: source, checksum: expected })
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

function listings({ client }: AttachedScope): Listings {
  const listPage = async (bucket: string, given: UploadPageOptions): Promise<UploadPage> => {
    const [page, sending] = apart(given)
    return client.value(controlApi.pageUploads, { bucket, ...page }, sending)
  }
  const listPartsPage = async (upload: UploadRef, given: PartPageOptions): Promise<PartPage> => {
    const [page, sending] = apart(given)
    return client.value(controlApi.pageParts, { ...upload, ...page }, sending)
  }
  return {
    listPage: async (bucket, options) =>
      listPage(checkBucket(bucket), optionsOf(callArguments.uploadPageOptions, options)),
    list: (bucket, options) =>
      listing(
        () => optionsOf(callArguments.uploadPageOptions, options),
        (page) => listPage(checkBucket(bucket), page),
        ({ last }, { keyMarker: _key, uploadIdMarker: _id, ...page }) =>
          last && { ...page, keyMarker: last.key, ...(last.uploadId && { uploadIdMarker: last.uploadId }) },
      ),
    listPartsPage: async (upload, options) =>
      listPartsPage(refOf(upload), optionsOf(callArguments.partPageOptions, options)),
    listParts(upload, options) {
      const ref = atCall(() => refOf(upload))
      return listing(
        () => optionsOf(callArguments.partPageOptions, options),
        (page) => listPartsPage(ref(), page),
        ({ last }, page) => ({ ...page, after: last }),
      )
    },
  }
}
