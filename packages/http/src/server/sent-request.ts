import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { SentRequest } from '../access-log/access-line.ts'
import type { AnswerHeaders } from '../contract/answer.ts'

/** What access logs have of a request on a socket. */
export function sentRequest(
  { url: rawUrl = '', httpVersion, rawHeaders, socket }: IncomingMessage,
  answer: AnswerHeaders,
  answeredMs: number,
): SentRequest {
  const { encrypted, getCipher, getProtocol } = socket as Partial<TLSSocket>
  const tls =
    encrypted === true
      ? { cipher: getCipher?.call(socket).name, tlsVersion: getProtocol?.call(socket) ?? undefined }
      : {}
  return { rawUrl, httpVersion, rawHeaders, answer, answeredMs, ...tls }
}
