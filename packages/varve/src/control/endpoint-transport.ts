/** Requests to a server, signed. */
import { createHash } from 'node:crypto'
import { Agent, request } from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'
import { callerHeader, type Identity, namedCallerText, signRequest } from '@varve/http'
import { agentOptions, type ControlTransport, headersOf } from './control-transport.ts'

export type EndpointKeys = Pick<Identity, 'accessKeyId' | 'secretAccessKey'>

/** Every server of Varve takes this region in signatures, unless it was given others. */
const region = 'us-east-1'

/** @param endpoint `http:` or `https:`, without a path. */
export function endpointTransport(endpoint: URL, { accessKeyId, secretAccessKey }: EndpointKeys): ControlTransport {
  const isSecure = endpoint.protocol === 'https:'
  const agent = isSecure ? new TlsAgent(agentOptions) : new Agent(agentOptions)
  const send = isSecure ? tlsRequest : request
  return {
    writesCalls: false,
    begin(head) {
      const { method, path: rawPath, query: rawQuery, payload, caller } = head
      const payloadHash =
        payload === undefined ? 'UNSIGNED-PAYLOAD' : createHash('sha256').update(payload).digest('hex')
      const signing = { accessKeyId, secretAccessKey, region, now: Date.now(), payloadHash }
      const named = caller === undefined ? [] : [[callerHeader, namedCallerText(caller)] as const]
      const given = [['host', endpoint.host] as const, ...named]
      const signed = signRequest({ method, rawPath, rawQuery, headers: given }, signing)
      const headers = { ...headersOf(head), ...Object.fromEntries(signed.headers) }
      const target = new URL(rawQuery === '' ? rawPath : `${rawPath}?${rawQuery}`, endpoint)
      return send(target, { method, headers, agent })
    },
    check: () => undefined,
    renew: async () => false,
    unreachable: (error) => error,
    close: () => agent.destroy(),
  }
}
