import { describe, expect, it } from 'vitest'
import { S3Error } from '../errors/errors.ts'
import { errorPage } from './error-page.ts'

const missing = (Key: string) => new S3Error('NoSuchKey', 'The specified key does not exist.', { details: { Key } })

describe('a page for an error', () => {
  it('is the one S3 shows', () => {
    expect(errorPage(missing('index.html'), 'R')).toEqual({
      status: 404,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'x-amz-error-code': 'NoSuchKey',
        'x-amz-error-message': 'The specified key does not exist.',
      },
      body: `<html>
<head><title>404 Not Found</title></head>
<body>
<h1>404 Not Found</h1>
<ul>
<li>Code: NoSuchKey</li>
<li>Message: The specified key does not exist.</li>
<li>Key: index.html</li>
<li>RequestId: R</li>
<li>HostId: R</li>
</ul>
<hr/>
</body>
</html>
`,
    })
  })

  it('reports why the page of the website for errors is missing', () => {
    expect(errorPage(missing('a'), 'R', missing('error.html')).body).toContain(`<li>HostId: R</li>
</ul>
<h3>An Error Occurred While Attempting to Retrieve a Custom Error Document</h3>
<ul>
<li>Code: NoSuchKey</li>
<li>Message: The specified key does not exist.</li>
<li>Key: error.html</li>
</ul>
<hr/>
`)
  })

  it('holds no markup but its own', () => {
    expect(errorPage(missing('<script>'), 'R').body).toContain('<li>Key: &lt;script&gt;</li>')
  })

  it('does not reveal internal failures', () => {
    const page = errorPage(new Error('a path'), 'R')
    expect([page.status, JSON.stringify(page).includes('a path')]).toEqual([500, false])
  })

  it('is none where the browser has the page already', () => {
    const error = new S3Error('NotModified', 'Not Modified', { headers: { etag: '"e"' } })
    expect(errorPage(error, 'R')).toEqual({ status: 304, headers: { etag: '"e"' } })
  })
})
