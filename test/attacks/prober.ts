/**
 * Another client, in a process of its own, on a connection and an address of its own: it puts and gets a small object every few
 * milliseconds, and tells its parent the longest that took.
 */
import { Agent, request } from 'node:http'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { signRequest } from 'varve/http'
import { credentials } from '../bounds/support/served-store.ts'

export interface Probe {
  /** Milliseconds. */
  readonly longest: number
  readonly requests: number
  /** Answers other than 200, by status; a connection that failed is 0. */
  readonly failures: Readonly<Record<number, number>>
}

const everyMs = 3
const [port = '', bucket = ''] = process.argv.slice(2)
// Every address of 127/8 is this machine on Linux: so it is not one with the attacker.
const agent = new Agent({
  keepAlive: true,
  maxSockets: 1,
  localAddress: process.platform === 'linux' ? '127.0.0.9' : '127.0.0.1',
})

let [longest, requests] = [0, 0]
let failures: Record<number, number> = {}

function ask(method: 'GET' | 'PUT'): Promise<number> {
  const host = `127.0.0.1:${port}`
  const rawPath = `/${bucket}/probe`
  const { headers } = signRequest(
    { method, rawPath, rawQuery: '', headers: [['host', host]] },
    { ...credentials, region: 'eu', now: Date.now(), payloadHash: 'UNSIGNED-PAYLOAD' },
  )
  return new Promise((resolve) => {
    const length = method === 'PUT' ? { 'content-length': '5' } : {}
    const sent = request({
      host: '127.0.0.1',
      port,
      method,
      path: rawPath,
      headers: { ...Object.fromEntries(headers), ...length },
      agent,
    })
    sent.on('response', (response) => response.resume().on('end', () => resolve(response.statusCode ?? 0)))
    sent.on('error', () => resolve(0))
    sent.end(method === 'PUT' ? 'probe' : undefined)
  })
}

process.on('message', (message) => {
  if (message === 'reset') [longest, requests, failures] = [0, 0, {}]
  if (message === 'read') process.send?.({ longest: Math.max(longest, underWay()), requests, failures })
})
process.on('disconnect', () => process.exit())

let began = 0
const underWay = (): number => (began === 0 ? 0 : performance.now() - began)

for (let turn = 0; ; turn++) {
  began = performance.now()
  const status = await ask(turn % 4 === 0 ? 'PUT' : 'GET')
  longest = Math.max(longest, performance.now() - began)
  began = 0
  requests++
  if (status !== 200) failures[status] = (failures[status] ?? 0) + 1
  if (turn === 0) process.send?.('ready')
  await delay(everyMs)
}
