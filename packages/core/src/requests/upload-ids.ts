/**
 * Ids of uploads. An id starts with the position of the upload, so ids sort by start. It ends with a MAC of the
 * upload's place under the store's secret, so that clients cannot guess the ids of other uploads.
 */
import { fromHex } from '../bytes/hex.ts'
import { hmacSha256, type Mac } from '../bytes/hmac.ts'
import { encodeUtf8 } from '../bytes/utf8.ts'
import type { Hashing, Ids, Secret, Seq } from '../ports/index.ts'
import { parseUploadId, uploadId, uploadMacBytes } from '../naming/version-id.ts'
import type { UploadRef } from '../api/types/index.ts'

/** An upload by the event that started it. */
export interface UploadPlace {
  readonly bucket: string
  readonly key: string
  readonly upload: Seq
}

export interface UploadIds {
  idOf(place: UploadPlace): string
  /**
   * The position of the upload. 0, which no upload has, for an id that this store did not give to an upload of the key.
   */
  positionOf(upload: UploadRef): Seq
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
  const idOf = ({ bucket, key, upload }: UploadPlace): string => {
    const place = encodeUtf8(JSON.stringify(['upload', bucket, key, upload]))
    return uploadId(upload, mac(place).subarray(0, uploadMacBytes))
  }
  return {
    idOf,
    positionOf({ bucket, key, uploadId: id }) {
      const upload = parseUploadId(id)
      return upload !== undefined && isSame(id, idOf({ bucket, key, upload })) ? upload : 0
    },
  }
}

/** Compares in constant time, so that the time does not reveal the first difference. */
function isSame(a: string, b: string): boolean {
  let difference = a.length ^ b.length
  for (let i = 0; i < b.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i)
  return difference === 0
}
