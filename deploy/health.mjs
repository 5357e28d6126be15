// Ends with 0 if the server of this container accepts writes: GET /-/health answers 200. The address is VARVE_HEALTH_URL.
import { get as getPlain } from 'node:http'
import { get as getSecure } from 'node:https'

const { VARVE_HEALTH_URL, VARVE_TLS_CERT, VARVE_PORT = '9000' } = process.env
const scheme = VARVE_TLS_CERT === undefined ? 'http' : 'https'
const url = new URL(VARVE_HEALTH_URL ?? `${scheme}://127.0.0.1:${VARVE_PORT}/-/health`)
const get = url.protocol === 'https:' ? getSecure : getPlain

// The certificate names the server as clients see it, and not as 127.0.0.1.
const request = get(url, { rejectUnauthorized: false, timeout: 4000 }, (response) => {
  response.resume()
  process.exitCode = response.statusCode === 200 ? 0 : 1
})
request.on('timeout', () => request.destroy(new Error('no answer within 4 s')))
request.on('error', ({ message }) => {
  console.error(message)
  process.exitCode = 1
})
