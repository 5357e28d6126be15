/** Codes of Node for TLS connections that cannot be made. */

/** The certificate of the other side was not accepted: another attempt fails too, until somebody replaces it. */
export const isCertificateCode = (code: string): boolean =>
  /^((CERT|CRL|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|ERROR_IN_CERT|ERROR_IN_CRL)_|ERR_TLS_CERT_)/.test(code) ||
  ['INVALID_CA', 'INVALID_PURPOSE', 'PATH_LENGTH_EXCEEDED', 'HOSTNAME_MISMATCH'].includes(code)

/** The certificate, the protocol or the keys of one side do not suit the other one. */
export const isTlsCode = (code: string): boolean =>
  isCertificateCode(code) || code === 'EPROTO' || /^ERR_(TLS|SSL|OSSL)_/.test(code)
