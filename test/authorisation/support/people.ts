import { createIdentity, type Identity } from '@varve/http'
import { signRequest } from '@varve/http'
import type { Sketch } from './requests.ts'

export const noon = Date.UTC(2026, 0, 1, 12)

const person = (name: string): Identity =>
  createIdentity({ name, id: name, accessKeyId: name.toUpperCase(), secretAccessKey: `secret of ${name}` })

/** Owns the buckets at first. */
export const alice = person('alice')
/** Has the permissions that the buckets and objects grant. */
export const bob = person('bob')
/** Owns what takes the place of a bucket. */
export const carol = person('carol')

export const actorOf = ({ id, displayName }: Identity) => ({ id, name: displayName })

/** Method, target and raw headers of a request, signed unless it is anonymous. */
export function wireHead({ line, headers = {}, body = '' }: Sketch, by: Identity | undefined) {
  const [method = '', rawUrl = ''] = line.split(' ')
  const [rawPath = '', rawQuery = ''] = rawUrl.split('?')
  const sent = [['host', 'localhost'] as const, ...Object.entries(headers)]
  const length = ['content-length', String(Buffer.byteLength(body))] as const
  // A form would be signed in its fields. This one is anonymous.
  const isForm = headers['content-type']?.startsWith('multipart/') === true
  if (by === undefined || isForm) return { method, rawUrl, rawHeaders: [...sent, length].flat() }
  const signed = signRequest(
    { method, rawPath, rawQuery, headers: sent },
    {
      accessKeyId: by.accessKeyId,
      secretAccessKey: by.secretAccessKey,
      region: 'eu',
      now: noon,
      payloadHash: 'UNSIGNED-PAYLOAD',
    },
  )
  return { method, rawUrl, rawHeaders: [...signed.headers, length].flat() }
}
