/** Whether the deployment offers decisions of several people (protocol §18.10), as the document of the page says. */
export function offersApprovals(): boolean {
  return document.body.dataset['approvals'] === 'true';
}
