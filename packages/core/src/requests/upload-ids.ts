/**
 * Ids of uploads. An id starts with the position of the upload, so ids sort by start. It ends with a MAC of the
 * upload's place under the store's secret, so that clients cannot guess the ids of other uploads.
 */
import { fromHex } from '../bytes/hex.ts'
import { hmacSha256, type Mac } from '../bytes/hmac.ts'
import { encodeUtf8 } from '../bytes/utf8.ts'
import type { Epoch } from '../base/epoch.ts'
import type { Hashing, Ids, Secret, Seq } from '../ports/index.ts'
import { parseUploadId, uploadId, uploadMacBytes } from '../naming/version-id.ts'
import type { UploadRef } from '../api/types/index.ts'

/** An upload by the place of the event that started it. */
export interface UploadPlace {
  readonly bucket: string
  readonly key: string
  /** The position of the event. */
  readonly upload: Seq
  /** The epoch of the event, if it has one. */
  readonly epoch?: Epoch | undefined
}

type InEpoch = UploadPlace & { readonly epoch: Epoch | undefined }

export interface UploadIds {
  idOf(place: InEpoch): string
  /**
   * The place of the upload. Its position is 0, which no upload has, for an id that this store did not give to an upload
   * of the key.
   */
  placeOf(upload: UploadRef): InEpoch
}

/** The secret of a store without a stored secret. It is lost when the store is closed. */
export function fleetingSecret(ids: Ids): Secret {
  let secret: Uint8Array | undefined
  return { read: async () => (secret ??= fromHex(ids.next() + ids.next())) }
}

/** The ids of a store. The secret is read on first use. */
export function uploadIds(hashing: Hashing, secret: Secret): () => Promise<UploadIds> {
  let known: UploadIds | undefined
  return async () => (known ??= uploadIdsBy(hmacSha256(hashing, await secret.read())))
}

function uploadIdsBy(mac: Mac): UploadIds {
  const idOf = ({ bucket, key, upload, epoch }: InEpoch): string => {
    const place = encodeUtf8(JSON.stringify(['upload', bucket, key, upload, ...(epoch === undefined ? [] : [epoch])]))
    return uploadId({ seq: upload, epoch }, mac(place).subarray(0, uploadMacBytes))
  }
  return {
    idOf,
    placeOf({ bucket, key, uploadId: id }) {
      const parsed = parseUploadId(id)
      const place = parsed && { bucket, key, upload: parsed.seq, epoch: parsed.epoch }
      return place !== undefined && isSame(id, idOf(place)) ? place : { bucket, key, upload: 0, epoch: undefined }
    },
  }
}

/** Compares in constant time, so that the time does not reveal the first difference. */
function isSame(a: string, b: string): boolean {
  let difference = a.length ^ b.length
  for (let i = 0; i < b.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i)
  return difference === 0
}
