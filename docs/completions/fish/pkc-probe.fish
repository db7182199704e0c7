complete -c pkc-probe -w 'processkit-cli probe'
