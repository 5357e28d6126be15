/** Writes the heads of all answers, so that header names have one spelling. No other file writes one. */

import type { ServerResponse } from 'node:http'
import { wireName } from '../headers/wire-name.ts'

/** Names in lower case, one byte per character. */
export type HeadHeaders = Readonly<Record<string, string>>

/** @throws Node's errors for invalid headers, before anything is sent. */
export function writeHead(response: ServerResponse, status: number, headers: HeadHeaders): ServerResponse {
  const spelled: string[] = []
  for (const name in headers) spelled.push(wireName(name), headers[name] as string)
  return response.writeHead(status, spelled)
}

/** A head for a socket without a response, as after a request that Node's parser refused. */
export function headText(status: number, reason: string, headers: HeadHeaders): string {
  const lines = Object.entries(headers).map(([name, value]) => `${wireName(name)}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${reason}\r\n${lines.join('')}\r\n`
}
