/**
 * Another client, in a process of its own, on a connection and an address of its own: it puts and gets a small object every few
 * milliseconds, and reports the longest request.
 */
import { Agent, request } from 'node:http'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { signRequest } from 'varve/http'
import { credentials } from '../bounds/support/served-store.ts'
import { scheduleOf } from './schedule.ts'

export interface Probe {
  /** Milliseconds of the longest request. */
  readonly longest: number
  /**
   * The longest without the time in which the server's main thread was ready to run and had no processor, or this process, which
   * does nothing else, was late for its timer: what remains on a machine that runs nothing but the server. Where both lost time
   * only the longer counts, since they may have lost the same.
   */
  readonly longestServed: number
  readonly requests: number
  /** Answers other than 200, by status; a connection that failed is 0. */
  readonly failures: Readonly<Record<number, number>>
}

const everyMs = 3
const [port = '', bucket = '', server = ''] = process.argv.slice(2)
// Every address of 127/8 is this machine on Linux: so it is not one with the attacker.
const agent = new Agent({
  keepAlive: true,
  maxSockets: 1,
  localAddress: process.platform === 'linux' ? '127.0.0.9' : '127.0.0.1',
})

let [longest, longestServed, requests] = [0, 0, 0]
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
  if (message === 'reset') [longest, longestServed, requests, failures] = [0, 0, 0, {}]
  if (message !== 'read') return
  if (began !== undefined) record(began)
  process.send?.({ longest, longestServed, requests, failures })
})
process.on('disconnect', () => process.exit())

interface Began {
  readonly at: number
  /** Time without a processor until then. */
  readonly server: number
  readonly own: number
}

const tickMs = 5
/** How late the timer of this process was, all in all: it waited for a processor, or the whole machine stood still. */
let late = 0
let ticked = performance.now()
setInterval(() => {
  const now = performance.now()
  late += Math.max(0, now - ticked - tickMs)
  ticked = now
}, tickMs)

const lost = (): Omit<Began, 'at'> => ({
  server: scheduleOf(Number(server)).waited,
  own: late + Math.max(0, performance.now() - ticked - tickMs),
})

function record(request: Began): void {
  const took = performance.now() - request.at
  longest = Math.max(longest, took)
  const now = lost()
  longestServed = Math.max(longestServed, took - Math.max(now.server - request.server, now.own - request.own))
}

let began: Began | undefined
for (let turn = 0; ; turn++) {
  began = { at: performance.now(), ...lost() }
  const status = await ask(turn % 4 === 0 ? 'PUT' : 'GET')
  record(began)
  began = undefined
  requests++
  if (status !== 200) failures[status] = (failures[status] ?? 0) + 1
  if (turn === 0) process.send?.('ready')
  await delay(everyMs)
}
