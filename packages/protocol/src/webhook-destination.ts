export interface WebhookRules {
  /** Host names that webhooks may name, exactly as written. */
  readonly hosts: readonly string[];
  /** Any port; for development only. */
  readonly anyPort: boolean;
}

/**
 * Where a webhook goes, or null when it may not go there (protocol §11.5, R8): https on 443, no userinfo, no fragment, a
 * host that the operator of the service allows. Judged when it is configured and again whenever something is sent.
 */
export function webhookDestination(text: string, rules: WebhookRules): URL | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const allowed =
    url.protocol === 'https:' &&
    (url.port === '' || rules.anyPort) &&
    url.username === '' &&
    url.password === '' &&
    !text.includes('#') &&
    rules.hosts.includes(url.hostname);
  return allowed ? url : null;
}
