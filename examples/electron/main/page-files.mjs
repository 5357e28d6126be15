/** The files of the page, read once: its addresses never become paths. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

const files = {
  '/': ['index.html', 'text/html; charset=utf-8'],
  '/page.css': ['page.css', 'text/css; charset=utf-8'],
  '/icon.svg': ['icon.svg', 'image/svg+xml'],
  '/page.js': ['page.js', 'text/javascript; charset=utf-8'],
}

const policy = [
  "default-src 'none'",
  ...['script-src', 'style-src', 'img-src', 'media-src', 'connect-src'].map((kind) => `${kind} 'self'`),
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** @returns {Promise<ReadonlyMap<string, { body: Uint8Array<ArrayBuffer>, headers: Record<string, string> }>>} */
export async function readPage(folder) {
  const page = new Map()
  for (const [address, [name, contentType]] of Object.entries(files)) {
    const headers = {
      'content-type': contentType,
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache',
    }
    page.set(address, { body: await readFile(join(folder, name)), headers })
  }
  return page
}
