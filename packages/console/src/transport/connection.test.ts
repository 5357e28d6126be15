import { describe, expect, it } from 'vitest'
import { listBuckets } from '../s3/buckets.ts'
import { callS3 } from '../s3/s3.ts'
import { Connection } from './connection.ts'
import { endpointOf } from './endpoint.ts'
import { isCredentialFailure, ServerError, Unreachable } from './failures.ts'
import type { HttpRequest } from './send.ts'

const credentials = { accessKeyId: 'key', secretAccessKey: 'secret' }
const endpoint = { url: 'http://127.0.0.1:9000', host: '127.0.0.1:9000' }
const buckets =
  '<R><Buckets><Bucket><Name>photos</Name><CreationDate>2026-01-01T00:00:00.000Z</CreationDate></Bucket></Buckets></R>'

/** A server that gives these answers, one after the other. */
function connected(...answers: (() => Response)[]) {
  const requests: HttpRequest[] = []
  const outcomes: unknown[] = []
  const connection = new Connection({
    endpoint,
    credentials,
    now: () => Date.UTC(2026, 0, 1),
    onOutcome: (error) => outcomes.push(error),
    send: async (request) => {
      requests.push(request)
      const answer = answers[requests.length - 1]
      if (answer === undefined) throw new Unreachable(undefined)
      return answer()
    },
  })
  return { connection, requests, outcomes }
}

const refusal = (status: number, xml: string) => () => new Response(`<Error>${xml}</Error>`, { status })
const ok = () => new Response(buckets)

describe('a connection', () => {
  it('uses the clock of the server after a refusal for a wrong clock', async () => {
    const skewed = refusal(403, '<Code>RequestTimeTooSkewed</Code><ServerTime>2026-06-01T12:00:00Z</ServerTime>')
    const { connection, requests } = connected(skewed, ok, ok)
    expect(await listBuckets(connection)).toHaveLength(1)
    await listBuckets(connection)
    expect(requests.map(({ headers }) => headers['x-amz-date'])).toEqual([
      '20260101T000000Z',
      '20260601T120000Z',
      '20260601T120000Z',
    ])
    expect(connection.presign('/b/k', [], 60)).toContain('X-Amz-Date=20260601T120000Z')
  })

  it('learns the region from a refusal', async () => {
    const wrong = refusal(400, '<Code>AuthorizationHeaderMalformed</Code><Region>eu</Region>')
    const { connection, requests } = connected(wrong, ok)
    await listBuckets(connection)
    expect(requests.at(-1)?.headers['authorization']).toContain('/20260101/eu/s3/')
  })

  it('tries again only once', async () => {
    const skewed = refusal(403, '<Code>RequestTimeTooSkewed</Code><ServerTime>2026-06-01T12:00:00Z</ServerTime>')
    const { connection, requests } = connected(skewed, skewed, ok)
    await expect(listBuckets(connection)).rejects.toThrow(ServerError)
    expect(requests).toHaveLength(2)
  })

  it('keeps code, message, details and request id of a refusal', async () => {
    const denied = () =>
      new Response('<Error><Code>AccessDenied</Code><Message>No</Message><BucketName>photos</BucketName></Error>', {
        status: 403,
        headers: { 'x-amz-request-id': 'r1' },
      })
    const { connection, outcomes } = connected(denied)
    const error = await callS3(connection, 'GET', { bucket: 'photos' }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'AccessDenied', status: 403, message: 'No', requestId: 'r1' })
    expect(error).toHaveProperty('details.BucketName', 'photos')
    expect(outcomes).toEqual([error])
    expect(isCredentialFailure(error)).toBe(false)
  })

  it('understands an error page of a proxy', async () => {
    const { connection } = connected(() => new Response('<html>Bad gateway', { status: 502 }))
    await expect(listBuckets(connection)).rejects.toMatchObject({ code: 'UnexpectedAnswer', status: 502 })
  })

  it('reports a server that is away, and its return', async () => {
    const { connection, outcomes } = connected()
    await expect(listBuckets(connection)).rejects.toThrow(Unreachable)
    expect(outcomes[0]).toBeInstanceOf(Unreachable)
  })
})

describe('the endpoint', () => {
  const at = (pathname: string) => endpointOf({ origin: 'https://files.example', host: 'files.example', pathname })

  it('is where the console was loaded from, with the prefix of a proxy', () => {
    expect(at('/-/console/').url).toBe('https://files.example')
    expect(at('/store/one/-/console/').url).toBe('https://files.example/store/one')
    expect(at('/store/-/console/index.html').host).toBe('files.example')
  })
})
