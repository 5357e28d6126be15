import { describe, expect, it } from 'vitest'
import { createConnectionServer } from './connection-server.ts'
import { fakeStore } from '../fake-store.fixture.ts'
import { createFetchHandler } from './fetch-handler.ts'
import { createHandler } from './handler.ts'
import { listenFor } from './listener.ts'
import { serve } from './serve.ts'
import { alice, hashing } from '../signed-request.fixture.ts'

const given = { store: fakeStore(), identities: [alice], hashing }
const server = { ...given, port: 0 }
const refusal = (ArgumentName: string) =>
  expect.objectContaining({ name: 'StorageError', code: 'InvalidArgument', details: { ArgumentName } })
/** What takes options, whether it throws or rejects. */
const entries: Readonly<Record<string, (options: never) => unknown>> = {
  serve: (options) => serve(options),
  createConnectionServer: (options) => createConnectionServer(options),
  createHandler: (options) => createHandler(options),
  createFetchHandler: (options) => createFetchHandler(options),
}
const called = async (entry: string, options: unknown) => entries[entry]?.(options as never)

describe('every function that takes options', () => {
  it.each(Object.keys(entries))(
    '%s refuses what is not an object of options, and options there are not',
    async (entry) => {
      for (const options of [undefined, null, 5, 'text', [], new Map()]) {
        await expect(called(entry, options)).rejects.toThrow(refusal('options'))
      }
      await expect(called(entry, { ...given, dialekt: 'aws' })).rejects.toThrow('has no option "dialekt"')
    },
  )

  it.each(Object.keys(entries))('%s reads each option once', async (entry) => {
    let reads = 0
    const options = Object.defineProperty({ ...given }, 'region', {
      enumerable: true,
      get: () => (reads++ === 0 ? 5 : 'eu'),
    })
    await expect(called(entry, options)).rejects.toThrow(refusal('options.region'))
    expect(reads).toBe(1)
    const failing = Object.defineProperty({ ...given }, 'now', {
      enumerable: true,
      get: () => expect.fail('read'),
    })
    await expect(called(entry, failing)).rejects.toThrow(refusal('options.now'))
  })
})

describe('an option that cannot be', () => {
  const shared = [
    ['store', {}],
    ['store', undefined],
    ['identities', alice],
    ['identities', [alice, { ...alice, secretAccessKey: 'other' }]],
    ['hashing', { create: 5 }],
    ['dialect', 'gcs'],
    ['dialect', 'toString'],
    ['region', ''],
    ['signingRegions', []],
    ['unsignedPayload', true],
    ['signatures', 'v2'],
    ['hostSuffixes', 'localhost'],
    ['bucketDefaults', 'ajar'],
    ['namespace', 5],
    ['keepAliveAfterMs', 0],
    ['keepAliveEveryMs', Number.NaN],
    ['now', 0],
    ['documentBytesMax', 0],
    ['bodyBytesMax', 0],
    ['answerBytesMax', '1'],
  ] as const
  it.each(shared)('is refused by its name: %s', async (name, value) => {
    for (const entry of Object.keys(entries)) {
      await expect(called(entry, { ...given, [name]: value })).rejects.toThrow(
        expect.objectContaining({ code: 'InvalidArgument', message: expect.stringContaining(`options.${name}`) }),
      )
    }
  })

  it.each([
    ['options.log', { log: 'all' }],
    ['options.minimumSpeed.windowMs', { minimumSpeed: { bytesPerSecond: 1, windowMs: 0 } }],
    ['options.trustedProxies', { trustedProxies: ['somewhere'] }],
    ['options.connectionsMax', { connectionsMax: 0 }],
    ['options.requestsPerConnectionMax', { requestsPerConnectionMax: -1 }],
    ['options.headersTimeoutMs', { headersTimeoutMs: '1' }],
    ['options.idleTimeoutMs', { idleTimeoutMs: 2 ** 31 }],
    ['options.host', { host: 5 }],
    ['options.port', { port: 65_536 }],
    ['options.tls.key', { tls: { key: 5 } }],
    ['options.tls', { tls: { key: 'no key', cert: 'no certificate' } }],
    ['options.tls.minVersion', { tls: { minVersion: 'SSLv3' } }],
  ])('is refused by its name by a server: %s', async (name, wrong) => {
    await expect(called('serve', { ...server, ...wrong })).rejects.toThrow(refusal(name))
  })

  it.each([
    ['options.identities[0].secretAccessKey', { ...alice }],
    ['options.identities[0].name', { secretAccessKey: 's', accessKeyId: 'A' }],
    ['options.identities[0].root', { ...alice, secretAccessKey: 's', root: 'yes' }],
    ['options.identities[0].policy', { ...alice, secretAccessKey: 's', policy: { Statement: [] } }],
    ['options.identities[0]', 'alice'],
  ])('is refused by its name in an identity: %s', async (name, identity) => {
    await expect(called('createHandler', { ...given, identities: [identity] })).rejects.toThrow(refusal(name))
  })

  it('is refused when a listener, a server that closes or a fetch handler is called', async () => {
    await expect(listenFor(5 as never, {})).rejects.toThrow(refusal('take'))
    await expect(listenFor(() => undefined, { port: '80' as never })).rejects.toThrow(refusal('options.port'))
    await expect(createFetchHandler(given)('GET /' as never)).rejects.toThrow(refusal('request'))
    const running = await serve(server)
    await expect(running.close({ graceMs: -1 })).rejects.toThrow(refusal('options.graceMs'))
    await running.close()
  })
})
