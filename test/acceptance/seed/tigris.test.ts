/** Snapshots and forks by the headers of Tigris. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Store } from 'varve'
import { signRequest } from 'varve/http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call, type CallOptions, sha256 } from '../support/call.ts'
import type { Statement } from '../support/server.ts'
import type { XmlElement } from '../support/xml.ts'
import { expectStatus, openTestService, refusal, type TestService } from '../support/test-service.ts'

const allow = (Action: readonly string[], Resource = '*'): Statement => ({ Effect: 'Allow', Action, Resource })
const policies: Record<string, readonly Statement[]> = {
  star: [allow(['*', 's3:*'])],
  taker: [allow(['varve:CreateSnapshot'])],
  lister: [allow(['varve:ListSnapshots'])],
  remover: [allow(['varve:DeleteSnapshot'])],
  elsewhere: [allow(['varve:*'], 'arn:aws:s3:::elsewhere')],
  reader: [allow(['s3:GetObject', 'varve:ReadHistory'])],
  forker: [allow(['s3:CreateBucket', 'varve:ForkBucket', 'varve:ReadHistory'])],
}

let service: TestService
let without: TestService
beforeAll(async () => {
  let open: Store | undefined
  const wrap = (store: Store) => (open = store)
  service = await openTestService({ policies, wrap, serve: { controlStore: () => open as Store } })
  without = await openTestService({ wrap: (store) => store })
})
afterAll(async () => {
  await service.stop()
  await without.stop()
})

const ask = (line: string, options?: CallOptions) => service.ask(line, options)
const withHeader = (name: string, value: string, as = 'root'): CallOptions => ({ as, headers: { [name]: value } })
const put = async (path: string, body: string) => {
  expectStatus(await ask(`PUT ${path}`, { body }), 200)
}
const textOf = async (path: string, options?: CallOptions) => expectStatus(await ask(`GET ${path}`, options), 200).text
const take = async (bucket: string, value = 'true') =>
  expectStatus(await ask(`PUT /${bucket}`, withHeader('X-Tigris-Snapshot', value)), 200).headers[
    'x-tigris-snapshot-version'
  ] ?? ''
const list = async (bucket: string, query = '') =>
  expectStatus(await ask(`GET /${query}`, withHeader('X-Tigris-Snapshot', bucket)), 200).xml()
const bucketsOf = (listing: XmlElement) =>
  listing.all('Buckets').flatMap((all) => all.all('Bucket').map((one) => one.get('Name')))
const names = async (bucket: string, query = '') => bucketsOf(await list(bucket, query))

/** A bucket whose `k` was `old` at the version and is `new` now. */
async function changed(value?: string) {
  const bucket = await service.bucket()
  await put(`/${bucket}/k`, 'old')
  const version = await take(bucket, value)
  await put(`/${bucket}/k`, 'new')
  return { bucket, version }
}

describe('a snapshot', () => {
  it('is taken by a header of CreateBucket, and read by its version', async () => {
    const { bucket, version } = await changed()
    expect(version).toMatch(/^\d+$/)
    expect(await textOf(`/${bucket}/k`)).toBe('new')
    const past = withHeader('X-Tigris-Snapshot-Version', version)
    const answer = expectStatus(await ask(`GET /${bucket}/k`, past), 200)
    expect([answer.text, answer.headers['x-varve-at']]).toEqual(['old', version])
    await put(`/${bucket}/added`, 'later')
    const listing = expectStatus(await ask(`GET /${bucket}?list-type=2`, past), 200).xml()
    expect(listing.all('Contents').map((one) => one.get('Key'))).toEqual(['k'])
    expect((await ask(`HEAD /${bucket}/added`, past)).status).toBe(404)
  })

  it('has the name of the header, which is a moment of Varve too', async () => {
    const { bucket } = await changed('true; name=before-import')
    expect(await textOf(`/${bucket}--at-before-import/k`)).toBe('old')
    expect(await textOf(`/${bucket}/k`, withHeader('X-Tigris-Snapshot-Version', 'before-import'))).toBe('old')
    const again = await ask(`PUT /${bucket}`, withHeader('X-Tigris-Snapshot', 'true; name=before-import'))
    expect(refusal(again)).toEqual([409, 'SnapshotExists'])
  })

  it('can be read by the nanoseconds of a time', async () => {
    const { bucket } = await changed()
    await pause(5)
    const nanoseconds = `${Date.now()}000000`
    await pause(5)
    await put(`/${bucket}/k`, 'newest')
    expect(await textOf(`/${bucket}/k`, withHeader('X-Tigris-Snapshot-Version', nanoseconds))).toBe('new')
  })

  it.each(['false', 'true; name=', 'true; name=Not A Name', 'photos'])(
    'is not taken by the value %j',
    async (value) => {
      const bucket = await service.bucket()
      expect(refusal(await ask(`PUT /${bucket}`, withHeader('X-Tigris-Snapshot', value)))).toEqual([
        400,
        'InvalidArgument',
      ])
      expect(await names(bucket)).toEqual([])
    },
  )

  it('is of a bucket that exists', async () => {
    expect(refusal(await ask('PUT /absent', withHeader('X-Tigris-Snapshot', 'true')))).toEqual([404, 'NoSuchBucket'])
    expect(refusal(await ask('GET /', withHeader('X-Tigris-Snapshot', 'absent')))).toEqual([404, 'NoSuchBucket'])
  })

  it('is listed with its version and its name, in pages, among those of its bucket alone', async () => {
    const { bucket, version } = await changed('true; name=first')
    const second = await take(bucket, 'true; name=second')
    const third = await take(bucket, 'true; name=third')
    await changed()
    const all = [`${version}; name=first`, `${second}; name=second`, `${third}; name=third`]
    expect(await names(bucket)).toEqual(all)
    const page = await list(bucket, '?max-buckets=2')
    expect(bucketsOf(page)).toEqual(all.slice(0, 2))
    const token = page.get('ContinuationToken') ?? ''
    expect(await names(bucket, `?continuation-token=${token}`)).toEqual(all.slice(2))
  })

  it('is deleted by a header of DeleteBucket, which leaves the bucket and the others', async () => {
    const { bucket, version } = await changed('true; name=to-delete')
    await take(bucket, 'true; name=to-keep')
    const one = withHeader('X-Tigris-Snapshot-Version', version)
    expectStatus(await ask(`DELETE /${bucket}`, one), 204)
    expect((await names(bucket)).map((name) => name?.split('=')[1])).toEqual(['to-keep'])
    expect(refusal(await ask(`DELETE /${bucket}`, one))).toEqual([404, 'NoSuchSnapshot'])
    expect(await textOf(`/${bucket}/k`)).toBe('new')
  })
})

describe('a fork', () => {
  it('begins as its source is, or was at a version', async () => {
    const { bucket, version } = await changed()
    const [now, then] = [service.name(), service.name()]
    const source = { 'X-Tigris-Fork-Source-Bucket': bucket, 'X-Tigris-Enable-Snapshot': 'true' }
    expectStatus(await ask(`PUT /${now}`, { headers: source }), 200)
    const headers = { ...source, 'X-Tigris-Fork-Source-Bucket-Snapshot': version }
    expectStatus(await ask(`PUT /${then}`, { headers }), 200)
    expect([await textOf(`/${now}/k`), await textOf(`/${then}/k`)]).toEqual(['new', 'old'])
  })

  it('needs a source, one alone, and a version that is a moment', async () => {
    const { bucket } = await changed()
    const refused = async (headers: Readonly<Record<string, string>>) =>
      refusal(await ask(`PUT /${service.name()}`, { headers }))
    const source = { 'X-Tigris-Fork-Source-Bucket': bucket }
    expect(await refused({ 'X-Tigris-Fork-Source-Bucket-Snapshot': '5' })).toEqual([400, 'InvalidRequest'])
    expect(await refused({ ...source, 'x-varve-fork-source': bucket })).toEqual([400, 'InvalidRequest'])
    expect(await refused({ ...source, 'X-Tigris-Fork-Source-Bucket-Snapshot': 'not/one' })).toEqual([
      400,
      'InvalidArgument',
    ])
  })
})

describe('the answer to HeadBucket', () => {
  const facts = async (bucket: string, as?: string, on = service) => {
    const { headers } = expectStatus(await on.ask(`HEAD /${bucket}`, { as }), 200)
    return ['enable-snapshot', 'fork-source-bucket', 'fork-source-bucket-snapshot'].map(
      (name) => headers[`x-tigris-${name}`],
    )
  }

  it('says that there are snapshots, where the server has them', async () => {
    const { bucket, version } = await changed()
    expect(await facts(bucket)).toEqual(['true', undefined, undefined])
    expect(await facts(`${bucket}--at-${version}`)).toEqual(['true', undefined, undefined])
    const other = await without.bucket()
    expect(await facts(other, 'root', without)).toEqual([undefined, undefined, undefined])
  })

  it('names the source of a fork and its version to those who may look back', async () => {
    const { bucket, version } = await changed()
    const fork = service.name()
    const headers = { 'x-tigris-fork-source-bucket': bucket, 'x-tigris-fork-source-bucket-snapshot': version }
    expectStatus(await ask(`PUT /${fork}`, { headers }), 200)
    expect(await facts(fork)).toEqual(['true', bucket, version])
    const policy = { Effect: 'Allow', Principal: '*', Action: 's3:ListBucket', Resource: `arn:aws:s3:::${fork}` }
    expectStatus(await ask(`DELETE /${fork}?publicAccessBlock`), 204)
    expectStatus(await ask(`PUT /${fork}?policy`, { body: JSON.stringify({ Statement: [policy] }) }), 204)
    for (const as of ['bob', 'nobody']) expect(await facts(fork, as)).toEqual(['true', undefined, undefined])
  })
})

describe('headers of Tigris', () => {
  it.each([
    ['PUT', '', 'X-Tigris-Merge-Source-Bucket', 'fork'],
    ['PUT', '', 'X-Tigris-Rebase', 'true'],
    ['PUT', '/k', 'X-Tigris-Rename', 'true'],
    ['PUT', '/k', 'X-Tigris-Snapshot', 'true'],
    ['PUT', '/k', 'X-Tigris-Fork-Source-Bucket', 'other'],
    ['GET', '', 'X-Tigris-Fork', 'other'],
    ['GET', '', 'X-Tigris-Snapshot', 'other'],
    ['GET', '/k', 'X-Tigris-Anything', ''],
    ['DELETE', '', 'Tigris-Force-Delete', 'true'],
    ['PUT', '', 'X-Amz-Acl-Public-List-Objects-Enabled', 'true'],
  ])('%s of /bucket%s with %s: %s is not implemented, and does nothing', async (method, key, name, value) => {
    const { bucket } = await changed()
    const answer = await ask(`${method} /${bucket}${key}`, withHeader(name, value))
    expect(refusal(answer)).toEqual([501, 'NotImplemented'])
    expect(await textOf(`/${bucket}/k`)).toBe('new')
  })

  it('are no parameters of the URL', async () => {
    const { bucket, version } = await changed()
    const answer = await ask(`GET /${bucket}/k?X-Tigris-Snapshot-Version=${version}`)
    expect(refusal(answer)).toEqual([501, 'NotImplemented'])
  })

  it('may say what happens anyway', async () => {
    const bucket = service.name()
    const headers = { 'X-Amz-Acl-Public-List-Objects-Enabled': 'false', 'X-Tigris-Enable-Snapshot': 'true' }
    expectStatus(await ask(`PUT /${bucket}`, { headers }), 200)
    expectStatus(await ask(`DELETE /${bucket}`, withHeader('Tigris-Force-Delete', 'false')), 204)
  })

  it('write nothing to the past', async () => {
    const { bucket, version } = await changed()
    for (const line of [`PUT /${bucket}/k`, `DELETE /${bucket}/k`]) {
      const answer = await ask(line, withHeader('X-Tigris-Snapshot-Version', version))
      expect([line, ...refusal(answer)]).toEqual([line, 405, 'MethodNotAllowed'])
    }
  })

  it('count only where a signature of version 4 covers them', async () => {
    const { bucket, version } = await changed()
    const { host, credentials } = service.server
    const signed = signRequest(
      { method: 'GET', rawPath: `/${bucket}/k`, rawQuery: '', headers: [['host', host]] },
      { ...credentials('root'), region: 'eu', now: Date.now(), payloadHash: sha256(new Uint8Array()) },
    )
    const added = { 'X-Tigris-Snapshot-Version': version }
    for (const headers of [added, { ...Object.fromEntries(signed.headers), ...added }]) {
      const answer = await call(service.server, `GET /${bucket}/k`, { as: 'nobody', headers })
      expect(refusal(answer)).toEqual([403, 'AccessDenied'])
    }
  })

  it('have no snapshots where the server has no control API', async () => {
    const bucket = await without.bucket()
    const answer = await without.ask(`PUT /${bucket}`, withHeader('X-Tigris-Snapshot', 'true'))
    expect(refusal(answer)).toEqual([501, 'NotImplemented'])
  })
})

describe('the permission', () => {
  const everybody = ['ann', 'bob', 'nobody', 'star', 'elsewhere', 'taker', 'lister', 'remover', 'reader', 'forker']
  const allowed = async (request: (as: string) => Promise<number>) => {
    const found: string[] = []
    for (const as of everybody) {
      const status = await request(as)
      if (status < 300) found.push(as)
      else expect([as, status]).toEqual([as, 403])
    }
    return found
  }
  const statusOf = async (line: string, options: CallOptions) => (await ask(line, options)).status

  it('to take, list and delete snapshots is in the policy of the identity, which names it', async () => {
    const bucket = await service.bucket({ as: 'ann' })
    expect(await allowed((as) => statusOf(`PUT /${bucket}`, withHeader('X-Tigris-Snapshot', 'true', as)))).toEqual([
      'taker',
    ])
    expect(await allowed((as) => statusOf('GET /', withHeader('X-Tigris-Snapshot', bucket, as)))).toEqual(['lister'])
    const version = await take(bucket)
    const one = (as: string) => withHeader('X-Tigris-Snapshot-Version', version, as)
    expect(await allowed((as) => statusOf(`DELETE /${bucket}`, one(as)))).toEqual(['remover'])
    expect((await ask(`HEAD /${bucket}`)).status).toBe(200)
  })

  it('to read a version is varve:ReadHistory, and to fork is varve:ForkBucket', async () => {
    const bucket = await service.bucket({ as: 'ann' })
    expectStatus(await ask(`PUT /${bucket}/k`, { as: 'ann' }), 200)
    const version = await take(bucket)
    const past = (as: string) => withHeader('X-Tigris-Snapshot-Version', version, as)
    expect(await allowed((as) => statusOf(`GET /${bucket}/k`, past(as)))).toEqual(['ann', 'reader'])
    const fork = (as: string) => withHeader('X-Tigris-Fork-Source-Bucket', bucket, as)
    expect(await allowed((as) => statusOf(`PUT /${service.name()}`, fork(as)))).toEqual(['ann', 'forker'])
  })
})
