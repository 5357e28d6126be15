/**
 * Ids of uploads: a position, so that they sort in the order in which uploads were started, and a MAC of the place of the upload
 * under the store's secret, so that nobody guesses the id of another's upload.
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
  /** Where the upload was started; 0, where nothing ever is, for an id that this store did not give to an upload of this key. */
  positionOf(upload: UploadRef): Seq
}

/** The secret of a store that is given none: it is forgotten when the store is closed. */
export function fleetingSecret(ids: Ids): Secret {
  let secret: Uint8Array | undefined
  return { read: async () => (secret ??= fromHex(ids.next() + ids.next())) }
}

/** The ids of a store. The secret is read when they are first needed. */
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

/** Takes the same time wherever the two differ. */
function isSame(a: string, b: string): boolean {
  let difference = a.length ^ b.length
  for (let i = 0; i < b.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i)
  return difference === 0
}
