/** Whether the deployment offers keys of people (protocol §19), as the document of the page says. */
export function offersKeys(): boolean {
  return document.body.dataset['keys'] === 'true';
}
