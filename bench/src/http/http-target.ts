/** A server as a target. */
import { type ObjectTarget, pageEntries } from '../targets/object-target.ts'
import { bucket } from '../targets/store-target.ts'
import { countOf, expectStatus, type S3Client } from './s3-client.ts'

/** Closing the target closes the client. */
export function httpTarget(client: S3Client): ObjectTarget {
  const pathOf = (key: string) => `/${bucket}/${key}`
  return {
    async put(key, body) {
      expectStatus(await client.ask({ method: 'PUT', path: pathOf(key), body }), 200)
    },
    async get(key) {
      const answer = await client.ask({ method: 'GET', path: pathOf(key) })
      return answer.status === 404 ? undefined : expectStatus(answer, 200).body
    },
    async head(key) {
      const answer = await client.ask({ method: 'HEAD', path: pathOf(key) })
      return answer.status === 404 ? undefined : Number(expectStatus(answer, 200).headers.get('content-length'))
    },
    async list(after) {
      const query = `list-type=2&max-keys=${pageEntries}&start-after=${encodeURIComponent(after)}`
      return countOf(expectStatus(await client.ask({ method: 'GET', path: `/${bucket}`, query }), 200).body, '<Key>')
    },
    async delete(key) {
      expectStatus(await client.ask({ method: 'DELETE', path: pathOf(key) }), 204)
    },
    async close() {
      client.close()
    },
  }
}
